package anthropic

import (
	"encoding/json"
	"fmt"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"github.com/wayfinder-engine/wayfinder/internal/vendortool"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// The families of the toolsets' members. computerFamily is also the name of the
// older single tools.
const (
	browserFamily  = "browser"
	computerFamily = "computer"
)

// betas are the headers without which the single tools are not known.
var betas = map[string]string{
	vendortool.Anthropic20251124: string(sdk.AnthropicBetaComputerUse2025_11_24),
	vendortool.Anthropic20250124: string(sdk.AnthropicBetaComputerUse2025_01_24),
}

// betaOf is the header that a request with a single tool needs.
func betaOf(c *llm.ComputerTool) []option.RequestOption {
	if c == nil || betas[c.Name] == "" {
		return nil
	}
	return []option.RequestOption{option.WithHeaderAdd("anthropic-beta", betas[c.Name])}
}

// computerTool declares the tool. Members that are off by default stay off.
func computerTool(c *llm.ComputerTool) sdk.ToolUnionParam {
	switch c.Name {
	case vendortool.AnthropicBrowser:
		return sdk.ToolUnionParam{OfBrowserToolset20260801: &sdk.BrowserToolset20260801Param{}}
	case vendortool.AnthropicToolset:
		return sdk.ToolUnionParam{OfComputerToolset20260801: &sdk.ComputerToolset20260801Param{}}
	}
	zoom := ""
	if c.Name == vendortool.Anthropic20251124 {
		zoom = `,"enable_zoom":true`
	}
	return param.Override[sdk.ToolUnionParam](json.RawMessage(fmt.Sprintf(
		`{"type":%q,"name":%q,"display_width_px":%d,"display_height_px":%d%s}`, c.Name, computerFamily, c.Width, c.Height, zoom)))
}

// isToolset reports a tool whose members are called by names of their own.
func isToolset(c *llm.ComputerTool) bool {
	return c != nil && (c.Name == vendortool.AnthropicBrowser || c.Name == vendortool.AnthropicToolset)
}

// toolsetOf is the toolset of a call as [llm.ToolCall] has it.
func toolsetOf(name, toolset string, c *llm.ComputerTool) string {
	if c != nil && betas[c.Name] != "" && name == computerFamily {
		return computerFamily
	}
	return toolset
}

// toolsetName is the toolset as the vendor has it, with a call and its result:
// the single tools have none.
func toolsetName(toolset string, c *llm.ComputerTool) param.Opt[string] {
	if toolset == "" || !isToolset(c) {
		return param.Opt[string]{}
	}
	return sdk.String(toolset)
}

// addBrowser adds to a result of a toolset's member what belongs to it: the
// family, and the state of the browser, which no failed result may have.
func addBrowser(block *sdk.ToolResultBlockParam, r llm.ToolResult, c *llm.ComputerTool) {
	block.ToolsetName = toolsetName(r.Toolset, c)
	if r.Error || r.Browser == nil || r.Toolset != browserFamily || !isToolset(c) {
		return
	}
	state := sdk.BrowserStateBlockParam{Tabs: []sdk.BrowserStateTabEntryParam{}}
	for _, t := range r.Browser.Tabs {
		entry := sdk.BrowserStateTabEntryParam{TabID: t.ID, Title: t.Title, URL: t.URL}
		if t.Active {
			entry.Active = sdk.Bool(true)
		}
		state.Tabs = append(state.Tabs, entry)
	}
	for _, change := range r.Browser.Changes {
		state.StateChanges = append(state.StateChanges, stateChange(change))
	}
	block.Content = append(block.Content, sdk.ToolResultBlockParamContentUnion{OfBrowserState: &state})
}

func stateChange(c llm.BrowserChange) sdk.BrowserStateChangeUnionParam {
	switch c.Kind {
	case "download_started":
		return sdk.BrowserStateChangeParamOfDownloadStarted(c.ID, c.URL)
	case "download_completed":
		done := &sdk.BrowserStateChangeDownloadCompletedParam{DownloadID: c.ID, URL: c.URL}
		if c.Size > 0 {
			done.SizeBytes = sdk.Int(c.Size)
		}
		return sdk.BrowserStateChangeUnionParam{OfDownloadCompleted: done}
	case "download_failed":
		failed := &sdk.BrowserStateChangeDownloadFailedParam{DownloadID: c.ID, URL: c.URL}
		if c.Error != "" {
			failed.Error = sdk.String(c.Error)
		}
		return sdk.BrowserStateChangeUnionParam{OfDownloadFailed: failed}
	}
	return sdk.BrowserStateChangeParamOfTabOpened(c.ID)
}
