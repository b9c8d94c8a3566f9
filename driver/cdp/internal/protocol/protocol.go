// Package protocol names the commands that the driver sends. Each name is tied
// to what the command takes and what it answers, by the types of
// github.com/mafredri/cdp, so that a member that Chrome does not know does not
// compile. What that module lacks is declared here in the same form.
package protocol

import (
	"github.com/mafredri/cdp/protocol/accessibility"
	"github.com/mafredri/cdp/protocol/browser"
	"github.com/mafredri/cdp/protocol/dom"
	"github.com/mafredri/cdp/protocol/domsnapshot"
	"github.com/mafredri/cdp/protocol/domstorage"
	"github.com/mafredri/cdp/protocol/emulation"
	"github.com/mafredri/cdp/protocol/fetch"
	"github.com/mafredri/cdp/protocol/indexeddb"
	"github.com/mafredri/cdp/protocol/input"
	"github.com/mafredri/cdp/protocol/network"
	"github.com/mafredri/cdp/protocol/page"
	"github.com/mafredri/cdp/protocol/performance"
	"github.com/mafredri/cdp/protocol/runtime"
	"github.com/mafredri/cdp/protocol/security"
	"github.com/mafredri/cdp/protocol/storage"
	"github.com/mafredri/cdp/protocol/target"

	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/conn"
)

// The commands. An answer that nobody reads is conn.None, and one that is
// decoded by hand conn.Wire.
const (
	AccessibilityGetPartialAXTree = conn.Method[accessibility.GetPartialAXTreeArgs, GetPartialAXTreeReply]("Accessibility.getPartialAXTree")

	BrowserCancelDownload      = conn.Method[browser.CancelDownloadArgs, conn.None]("Browser.cancelDownload")
	BrowserClose               = conn.Method[conn.None, conn.None]("Browser.close")
	BrowserGetVersion          = conn.Method[conn.None, browser.GetVersionReply]("Browser.getVersion")
	BrowserSetPermission       = conn.Method[browser.SetPermissionArgs, conn.None]("Browser.setPermission")
	BrowserSetDownloadBehavior = conn.Method[browser.SetDownloadBehaviorArgs, conn.None]("Browser.setDownloadBehavior")

	DOMDescribeNode      = conn.Method[dom.DescribeNodeArgs, dom.DescribeNodeReply]("DOM.describeNode")
	DOMGetFrameOwner     = conn.Method[dom.GetFrameOwnerArgs, dom.GetFrameOwnerReply]("DOM.getFrameOwner")
	DOMResolveNode       = conn.Method[dom.ResolveNodeArgs, dom.ResolveNodeReply]("DOM.resolveNode")
	DOMSetFileInputFiles = conn.Method[dom.SetFileInputFilesArgs, conn.None]("DOM.setFileInputFiles")

	DOMSnapshotCaptureSnapshot = conn.Method[domsnapshot.CaptureSnapshotArgs, conn.Wire]("DOMSnapshot.captureSnapshot")

	DOMStorageGetDOMStorageItems = conn.Method[domstorage.GetDOMStorageItemsArgs, domstorage.GetDOMStorageItemsReply]("DOMStorage.getDOMStorageItems")

	EmulationSetDeviceMetricsOverride = conn.Method[emulation.SetDeviceMetricsOverrideArgs, conn.None]("Emulation.setDeviceMetricsOverride")
	EmulationSetFocusEmulationEnabled = conn.Method[emulation.SetFocusEmulationEnabledArgs, conn.None]("Emulation.setFocusEmulationEnabled")
	EmulationSetEmulatedMedia         = conn.Method[emulation.SetEmulatedMediaArgs, conn.None]("Emulation.setEmulatedMedia")
	EmulationSetGeolocationOverride   = conn.Method[emulation.SetGeolocationOverrideArgs, conn.None]("Emulation.setGeolocationOverride")
	EmulationSetLocaleOverride        = conn.Method[emulation.SetLocaleOverrideArgs, conn.None]("Emulation.setLocaleOverride")
	EmulationSetTimezoneOverride      = conn.Method[emulation.SetTimezoneOverrideArgs, conn.None]("Emulation.setTimezoneOverride")
	EmulationSetTouchEmulationEnabled = conn.Method[emulation.SetTouchEmulationEnabledArgs, conn.None]("Emulation.setTouchEmulationEnabled")
	EmulationSetUserAgentOverride     = conn.Method[emulation.SetUserAgentOverrideArgs, conn.None]("Emulation.setUserAgentOverride")

	FetchContinueRequest  = conn.Method[fetch.ContinueRequestArgs, conn.None]("Fetch.continueRequest")
	FetchContinueWithAuth = conn.Method[fetch.ContinueWithAuthArgs, conn.None]("Fetch.continueWithAuth")
	FetchDisable          = conn.Method[conn.None, conn.None]("Fetch.disable")
	FetchEnable           = conn.Method[fetch.EnableArgs, conn.None]("Fetch.enable")
	FetchFailRequest      = conn.Method[fetch.FailRequestArgs, conn.None]("Fetch.failRequest")
	FetchGetResponseBody  = conn.Method[fetch.GetResponseBodyArgs, fetch.GetResponseBodyReply]("Fetch.getResponseBody")
	FetchFulfillRequest   = conn.Method[fetch.FulfillRequestArgs, conn.None]("Fetch.fulfillRequest")

	IndexedDBRequestDatabaseNames = conn.Method[indexeddb.RequestDatabaseNamesArgs, indexeddb.RequestDatabaseNamesReply]("IndexedDB.requestDatabaseNames")

	InputDispatchDragEvent  = conn.Method[input.DispatchDragEventArgs, conn.None]("Input.dispatchDragEvent")
	InputDispatchKeyEvent   = conn.Method[input.DispatchKeyEventArgs, conn.None]("Input.dispatchKeyEvent")
	InputDispatchMouseEvent = conn.Method[input.DispatchMouseEventArgs, conn.None]("Input.dispatchMouseEvent")
	InputDispatchTouchEvent = conn.Method[input.DispatchTouchEventArgs, conn.None]("Input.dispatchTouchEvent")
	InputInsertText         = conn.Method[input.InsertTextArgs, conn.None]("Input.insertText")
	InputSetInterceptDrags  = conn.Method[input.SetInterceptDragsArgs, conn.None]("Input.setInterceptDrags")

	InspectorEnable = conn.Method[conn.None, conn.None]("Inspector.enable")

	NetworkEmulateNetworkConditions = conn.Method[network.EmulateNetworkConditionsArgs, conn.None]("Network.emulateNetworkConditions")
	NetworkEnable                   = conn.Method[network.EnableArgs, conn.None]("Network.enable")
	NetworkSetExtraHTTPHeaders      = conn.Method[network.SetExtraHTTPHeadersArgs, conn.None]("Network.setExtraHTTPHeaders")

	PageAddScriptToEvaluateOnNewDocument = conn.Method[page.AddScriptToEvaluateOnNewDocumentArgs, conn.None]("Page.addScriptToEvaluateOnNewDocument")
	PageBringToFront                     = conn.Method[conn.None, conn.None]("Page.bringToFront")
	PageCaptureScreenshot                = conn.Method[page.CaptureScreenshotArgs, page.CaptureScreenshotReply]("Page.captureScreenshot")
	PageCrash                            = conn.Method[conn.None, conn.None]("Page.crash")
	PageCreateIsolatedWorld              = conn.Method[page.CreateIsolatedWorldArgs, page.CreateIsolatedWorldReply]("Page.createIsolatedWorld")
	PageEnable                           = conn.Method[conn.None, conn.None]("Page.enable")
	PageGetFrameTree                     = conn.Method[conn.None, page.GetFrameTreeReply]("Page.getFrameTree")
	PageGetLayoutMetrics                 = conn.Method[conn.None, page.GetLayoutMetricsReply]("Page.getLayoutMetrics")
	PageGetNavigationHistory             = conn.Method[conn.None, page.GetNavigationHistoryReply]("Page.getNavigationHistory")
	PageHandleJavaScriptDialog           = conn.Method[page.HandleJavaScriptDialogArgs, conn.None]("Page.handleJavaScriptDialog")
	PageNavigate                         = conn.Method[page.NavigateArgs, NavigateReply]("Page.navigate")
	PageNavigateToHistoryEntry           = conn.Method[page.NavigateToHistoryEntryArgs, conn.None]("Page.navigateToHistoryEntry")
	PagePrintToPDF                       = conn.Method[page.PrintToPDFArgs, page.PrintToPDFReply]("Page.printToPDF")
	PageReload                           = conn.Method[page.ReloadArgs, conn.None]("Page.reload")
	PageSetInterceptFileChooserDialog    = conn.Method[page.SetInterceptFileChooserDialogArgs, conn.None]("Page.setInterceptFileChooserDialog")
	PageSetLifecycleEventsEnabled        = conn.Method[page.SetLifecycleEventsEnabledArgs, conn.None]("Page.setLifecycleEventsEnabled")
	PageSetPrerenderingAllowed           = conn.Method[page.SetPrerenderingAllowedArgs, conn.None]("Page.setPrerenderingAllowed")
	PageStopLoading                      = conn.Method[conn.None, conn.None]("Page.stopLoading")

	PerformanceEnable     = conn.Method[performance.EnableArgs, conn.None]("Performance.enable")
	PerformanceGetMetrics = conn.Method[conn.None, performance.GetMetricsReply]("Performance.getMetrics")

	RuntimeCallFunctionOn          = conn.Method[runtime.CallFunctionOnArgs, runtime.CallFunctionOnReply]("Runtime.callFunctionOn")
	RuntimeDisable                 = conn.Method[conn.None, conn.None]("Runtime.disable")
	RuntimeEnable                  = conn.Method[conn.None, conn.None]("Runtime.enable")
	RuntimeEvaluate                = conn.Method[runtime.EvaluateArgs, runtime.EvaluateReply]("Runtime.evaluate")
	RuntimeReleaseObject           = conn.Method[runtime.ReleaseObjectArgs, conn.None]("Runtime.releaseObject")
	RuntimeRunIfWaitingForDebugger = conn.Method[conn.None, conn.None]("Runtime.runIfWaitingForDebugger")
	RuntimeTerminateExecution      = conn.Method[conn.None, conn.None]("Runtime.terminateExecution")

	SecuritySetIgnoreCertificateErrors = conn.Method[security.SetIgnoreCertificateErrorsArgs, conn.None]("Security.setIgnoreCertificateErrors")

	StorageClearCookies                  = conn.Method[storage.ClearCookiesArgs, conn.None]("Storage.clearCookies")
	StorageGetCookies                    = conn.Method[storage.GetCookiesArgs, storage.GetCookiesReply]("Storage.getCookies")
	StorageGetStorageKeyForFrame         = conn.Method[storage.GetStorageKeyForFrameArgs, storage.GetStorageKeyForFrameReply]("Storage.getStorageKeyForFrame")
	StorageSetCookies                    = conn.Method[storage.SetCookiesArgs, conn.None]("Storage.setCookies")
	StorageTrackIndexedDBForStorageKey   = conn.Method[storage.TrackIndexedDBForStorageKeyArgs, conn.None]("Storage.trackIndexedDBForStorageKey")
	StorageUntrackIndexedDBForStorageKey = conn.Method[storage.UntrackIndexedDBForStorageKeyArgs, conn.None]("Storage.untrackIndexedDBForStorageKey")

	TargetCloseTarget           = conn.Method[target.CloseTargetArgs, conn.None]("Target.closeTarget")
	TargetCreateBrowserContext  = conn.Method[target.CreateBrowserContextArgs, target.CreateBrowserContextReply]("Target.createBrowserContext")
	TargetCreateTarget          = conn.Method[target.CreateTargetArgs, target.CreateTargetReply]("Target.createTarget")
	TargetDetachFromTarget      = conn.Method[target.DetachFromTargetArgs, conn.None]("Target.detachFromTarget")
	TargetDisposeBrowserContext = conn.Method[target.DisposeBrowserContextArgs, conn.None]("Target.disposeBrowserContext")
	TargetGetBrowserContexts    = conn.Method[conn.None, GetBrowserContextsReply]("Target.getBrowserContexts")
	TargetSetAutoAttach         = conn.Method[target.SetAutoAttachArgs, conn.None]("Target.setAutoAttach")
)

// A NavigateReply is page.NavigateReply with the member that package page lacks.
type NavigateReply struct {
	page.NavigateReply
	IsDownload bool `json:"isDownload"`
}

// A GetBrowserContextsReply is target.GetBrowserContextsReply with the member
// that package target lacks.
type GetBrowserContextsReply struct {
	target.GetBrowserContextsReply
	DefaultBrowserContextID browser.ContextID `json:"defaultBrowserContextId"`
}

// A GetPartialAXTreeReply is accessibility.GetPartialAXTreeReply, as far as it
// is read: whole, it takes twice the allocations, and a capture may ask about
// hundreds of elements.
type GetPartialAXTreeReply struct{ Nodes []AXNode }

// An AXNode is a part of what Chrome tells of an accessibility node.
type AXNode struct {
	Ignored bool
	Role    struct{ Type, Value string }
	Value   struct{ Value any }
	// Properties are the states.
	Properties []struct {
		Name  string
		Value struct{ Value any }
	}
	Name struct {
		Value   string
		Sources []struct {
			Attribute      string
			AttributeValue *struct{ Value string }
			Value          *struct{ Value string }
		}
	}
}
