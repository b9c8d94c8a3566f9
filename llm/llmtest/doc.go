// Package llmtest tests what uses a language model, without one.
//
// A [Script] is a model whose answers are written down beforehand. It fails
// the test on a request that was not expected, and on an answer that nobody
// asked for:
//
//	model := llmtest.NewScript(t,
//		llmtest.Step{
//			Purpose:     llm.PurposeAct,
//			Instruction: "click Sign in",
//			Page:        "button: Sign in",
//			Answer: func(req *llm.Request) any {
//				return map[string]any{"found": true, "ref": llmtest.Ref(req, "button: Sign in"), "method": "click",
//					"arguments": []string{}, "description": "sign in", "reason": "", "more": false}
//			},
//		},
//	)
//	session, err := engine.Open(ctx, fake.Web{"https://shop.test/": page}, &engine.Options{Model: model})
//	…
//	_, err = session.Page().Act(ctx, "click Sign in", nil)
//	fmt.Println(model.Requests()[0].System)
//
// [Record] writes the exchanges with a real model to a file, [Replay] answers
// from it. [Conformance] is the suite that every adapter of a provider passes.
package llmtest
