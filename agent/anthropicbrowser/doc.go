// Package anthropicbrowser executes the calls of Anthropic's browser toolset
// (browser_toolset_20260801) on a session of the engine, for programs that talk to
// the vendor themselves. It links no SDK: a call comes as its name and its input,
// and the result is what belongs into the content of a tool_result block.
//
//	x := anthropicbrowser.New(session, nil)
//	for _, block := range answer.Content { // of type tool_use, toolset_name "browser"
//		result := x.Call(ctx, block.Name, block.Input)
//		… // {"type": "tool_result", "tool_use_id": block.ID, "toolset_name": "browser",
//		  //  "is_error": result.IsError, "content": result.Content}
//	}
//
// Refs and points go the engine's way: an element is held to what it was when the
// model was shown it, nothing is clicked through what covers it, and the policy of
// the session and its variables hold. What a call opened or downloaded is in the
// browser_state of its result.
//
// Several calls of one answer are done in order by [Executor.Calls], up to the first
// surprise: one that failed, or that led to another page. The rest is answered as
// not run.
//
// Package agent has all this built in, as its mode cua.
package anthropicbrowser
