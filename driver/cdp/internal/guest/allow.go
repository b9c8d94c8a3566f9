package guest

import "strings"

// What a client may ask for, by the kind of its session. What is not here is
// refused: a command that a later Chrome learns is none of anybody's until
// someone has thought about it.
//
// Left out on purpose is what reaches beyond the session's pages (the process,
// its other contexts, files, ports, traces of everything), what stops the
// session's own work (breakpoints, ignored input, virtual time), and what goes
// to the network past interception.
var (
	// ofBrowser are those of the connection itself.
	ofBrowser = methods(`
		Browser getVersion getWindowForTarget setDownloadBehavior
		Storage getCookies setCookies clearCookies
		Target activateTarget attachToBrowserTarget attachToTarget closeTarget createTarget detachFromTarget getBrowserContexts getTargetInfo getTargets setAutoAttach setDiscoverTargets`)

	// ofTarget are those of pages, frames and workers.
	ofTarget = methods(`
		Accessibility disable enable getAXNodeAndAncestors getChildAXNodes getFullAXTree getPartialAXTree getRootAXNode queryAXTree
		Animation disable enable getCurrentTime getPlaybackRate releaseAnimations resolveAnimation seekAnimations setPaused setPlaybackRate setTiming
		Audits disable enable
		Browser getVersion getWindowForTarget
		CSS addRule collectClassNames createStyleSheet disable enable forcePseudoState getBackgroundColors getComputedStyleForNode getInlineStylesForNode
		CSS getMatchedStylesForNode getMediaQueries getPlatformFontsForNode getStyleSheetText setStyleSheetText setStyleTexts startRuleUsageTracking
		CSS stopRuleUsageTracking takeCoverageDelta
		CacheStorage deleteCache deleteEntry requestCacheNames requestCachedResponse requestEntries
		Console clearMessages disable enable
		DOM collectClassNamesFromSubtree copyTo describeNode disable discardSearchResults enable focus getAnchorElement getAttributes getBoxModel
		DOM getContainerForNode getContentQuads getDocument getFlattenedDocument getFrameOwner getNodeForLocation getNodesForSubtreeByStyle getOuterHTML
		DOM getSearchResults getTopLayerElements hideHighlight highlightNode moveTo performSearch pushNodeByPathToFrontend pushNodesByBackendIdsToFrontend
		DOM querySelector querySelectorAll removeAttribute removeNode requestChildNodes requestNode resolveNode scrollIntoViewIfNeeded setAttributeValue
		DOM setAttributesAsText setNodeName setNodeValue setOuterHTML
		DOMDebugger getEventListeners
		DOMSnapshot captureSnapshot disable enable getSnapshot
		DOMStorage clear disable enable getDOMStorageItems removeDOMStorageItem setDOMStorageItem
		DeviceOrientation clearDeviceOrientationOverride setDeviceOrientationOverride
		Emulation canEmulate clearDeviceMetricsOverride clearGeolocationOverride clearIdleOverride resetPageScaleFactor setAutoDarkModeOverride
		Emulation setCPUThrottlingRate setDefaultBackgroundColorOverride setDeviceMetricsOverride setEmitTouchEventsForMouse setEmulatedMedia
		Emulation setEmulatedVisionDeficiency setFocusEmulationEnabled setGeolocationOverride setHardwareConcurrencyOverride setIdleOverride setLocaleOverride
		Emulation setPageScaleFactor setScriptExecutionDisabled setScrollbarsHidden setTimezoneOverride setTouchEmulationEnabled setUserAgentOverride setVisibleSize
		Fetch continueRequest continueResponse continueWithAuth disable enable failRequest fulfillRequest getResponseBody takeResponseBodyAsStream
		HeapProfiler collectGarbage
		IO close read
		IndexedDB clearObjectStore deleteDatabase deleteObjectStoreEntries disable enable getMetadata requestData requestDatabase requestDatabaseNames
		Input cancelDragging dispatchDragEvent dispatchKeyEvent dispatchMouseEvent dispatchTouchEvent emulateTouchFromMouseEvent imeSetComposition insertText
		Input setInterceptDrags synthesizePinchGesture synthesizeScrollGesture synthesizeTapGesture
		Inspector disable enable
		Log clear disable enable startViolationsReport stopViolationsReport
		Media disable enable
		Network canClearBrowserCache canClearBrowserCookies canEmulateNetworkConditions clearBrowserCookies deleteCookies disable emulateNetworkConditions
		Network emulateNetworkConditionsByRule enable getAllCookies getCookies getRequestPostData getResponseBody overrideNetworkState searchInResponseBody
		Network setBlockedURLs setBypassServiceWorker setCacheDisabled setCookie setCookies setExtraHTTPHeaders setUserAgentOverride streamResourceContent
		Overlay disable enable hideHighlight highlightNode highlightQuad highlightRect
		Page addScriptToEvaluateOnNewDocument bringToFront captureScreenshot captureSnapshot close createIsolatedWorld disable enable getFrameTree
		Page getLayoutMetrics getNavigationHistory getResourceContent getResourceTree handleJavaScriptDialog navigate navigateToHistoryEntry printToPDF reload
		Page removeScriptToEvaluateOnNewDocument setFontFamilies setFontSizes screencastFrameAck searchInResource setBypassCSP setDocumentContent setInterceptFileChooserDialog
		Page setLifecycleEventsEnabled startScreencast stopLoading stopScreencast
		Performance disable enable getMetrics setTimeDomain
		PerformanceTimeline enable
		Preload disable enable
		Profiler disable enable getBestEffortCoverage setSamplingInterval start startPreciseCoverage stop stopPreciseCoverage takePreciseCoverage
		Runtime addBinding awaitPromise callFunctionOn compileScript disable discardConsoleEntries enable evaluate getExceptionDetails getHeapUsage getProperties
		Runtime globalLexicalScopeNames queryObjects releaseObject releaseObjectGroup removeBinding runIfWaitingForDebugger runScript
		Runtime setCustomObjectFormatterEnabled setMaxCallStackSizeToCapture terminateExecution
		Schema getDomains
		Security disable enable
		Storage getCookies setCookies clearCookies clearDataForOrigin clearDataForStorageKey getUsageAndQuota
		Target detachFromTarget getTargetInfo setAutoAttach setDiscoverTargets
		WebAuthn addCredential addVirtualAuthenticator clearCredentials disable enable getCredential getCredentials removeCredential removeVirtualAuthenticator
		WebAuthn setAutomaticPresenceSimulation setUserVerified`)

	// acting are those of them after which a page may be another.
	acting = methods(`
		DOM moveTo copyTo removeAttribute removeNode setAttributeValue setAttributesAsText setNodeName setNodeValue setOuterHTML
		Input dispatchDragEvent dispatchKeyEvent dispatchMouseEvent dispatchTouchEvent imeSetComposition insertText synthesizePinchGesture
		Input synthesizeScrollGesture synthesizeTapGesture
		Page close handleJavaScriptDialog navigate navigateToHistoryEntry reload setDocumentContent stopLoading
		Runtime callFunctionOn evaluate runScript
		Storage clearCookies clearDataForOrigin clearDataForStorageKey setCookies
		Network clearBrowserCookies deleteCookies setCookie setCookies
		Target closeTarget createTarget`)

	// inContext take the context that they are about, and mean Chrome's own
	// where none is named.
	inContext = methods(`
		Storage getCookies setCookies clearCookies
		Target createTarget`)
)

// methods reads lines of a domain with its commands.
func methods(text string) map[string]bool {
	set := map[string]bool{}
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		for i := 1; i < len(words); i++ {
			set[words[0]+"."+words[i]] = true
		}
	}
	return set
}
