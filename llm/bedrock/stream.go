package bedrock

import (
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"

	"github.com/wayfinder-engine/wayfinder/llm"
)

// gathering puts the events of a stream together. Blocks come one after the
// other, each from a start, or its first delta, to its stop.
type gathering struct {
	answer
	question *question

	id, name string // of the call that is under way
	input    []byte
	thought  thought // that is under way
}

// add takes an event in, and returns what it brings, which may be nothing.
func (g *gathering) add(event types.ConverseStreamOutput) (llm.Delta, error) {
	switch event := event.(type) {
	case *types.ConverseStreamOutputMemberContentBlockStart:
		if start, ok := event.Value.Start.(*types.ContentBlockStartMemberToolUse); ok {
			g.id, g.name = aws.ToString(start.Value.ToolUseId), aws.ToString(start.Value.Name)
			if !g.answers() {
				return llm.Delta{Call: &llm.CallDelta{Index: len(g.ToolCalls), ID: g.id, Name: g.name}}, nil
			}
		}
	case *types.ConverseStreamOutputMemberContentBlockDelta:
		return g.addDelta(event.Value.Delta), nil
	case *types.ConverseStreamOutputMemberContentBlockStop:
		return llm.Delta{}, g.endBlock()
	case *types.ConverseStreamOutputMemberMessageStop:
		g.reason = event.Value.StopReason
	case *types.ConverseStreamOutputMemberMetadata:
		g.Usage = usageOf(event.Value.Usage)
	}
	return llm.Delta{}, nil
}

// answers reports whether the call under way is that of the tool by which the
// model answers: its arguments are the answer.
func (g *gathering) answers() bool {
	return g.question.answerTool != "" && g.name == g.question.answerTool
}

func (g *gathering) addDelta(delta types.ContentBlockDelta) llm.Delta {
	switch delta := delta.(type) {
	case *types.ContentBlockDeltaMemberText:
		g.Text += delta.Value
		return llm.Delta{Text: delta.Value}
	case *types.ContentBlockDeltaMemberToolUse:
		input := aws.ToString(delta.Value.Input)
		g.input = append(g.input, input...)
		switch {
		case g.answers():
			return llm.Delta{Text: input}
		case input != "":
			return llm.Delta{Call: &llm.CallDelta{Index: len(g.ToolCalls), Arguments: input}}
		}
	case *types.ContentBlockDeltaMemberReasoningContent:
		switch part := delta.Value.(type) {
		case *types.ReasoningContentBlockDeltaMemberText:
			g.thought.Text += part.Value
			return llm.Delta{Reasoning: part.Value}
		case *types.ReasoningContentBlockDeltaMemberSignature:
			g.thought.Signature += part.Value
		case *types.ReasoningContentBlockDeltaMemberRedactedContent:
			g.thought.Redacted = append(g.thought.Redacted, part.Value...)
		}
	}
	return llm.Delta{}
}

func (g *gathering) endBlock() error {
	if t := g.thought; t.Text != "" || t.Signature != "" || t.Redacted != nil {
		g.thought = thought{}
		if err := g.think(t); err != nil {
			return err
		}
	}
	if g.name == "" {
		return nil
	}
	err := g.call(g.id, g.name, g.input)
	g.id, g.name, g.input = "", "", nil
	return err
}
