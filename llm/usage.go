package llm

import "time"

// Usage is what an answer took, in tokens and time. Input includes Cached;
// Output includes Reasoning.
type Usage struct {
	Input     int           `json:"inputTokens"`
	Output    int           `json:"outputTokens"`
	Reasoning int           `json:"reasoningTokens,omitempty"`
	Cached    int           `json:"cachedTokens,omitempty"`
	Duration  time.Duration `json:"duration"` // in JSON: nanoseconds
}

// Add returns the sum of two usages.
func (u Usage) Add(v Usage) Usage {
	return Usage{
		Input:     u.Input + v.Input,
		Output:    u.Output + v.Output,
		Reasoning: u.Reasoning + v.Reasoning,
		Cached:    u.Cached + v.Cached,
		Duration:  u.Duration + v.Duration,
	}
}

// Estimate returns about how many tokens a request's input is: a quarter of
// its bytes of text, and 1,000 for a picture.
func Estimate(req *Request) int {
	size := len(req.System)
	for _, tool := range req.Tools {
		size += len(tool.Name) + len(tool.Description) + len(tool.Parameters)
	}
	if req.Schema != nil {
		size += len(req.Schema.Schema)
	}
	for _, message := range req.Messages {
		size += sizeOf(message.Parts)
	}
	return (size + 3) / 4
}

const pictureSize = 4000 // bytes of text that cost about as much

func sizeOf(parts []Part) int {
	size := 0
	for _, part := range parts {
		switch part := part.(type) {
		case Instruction:
			size += len(part.Text)
		case Text:
			size += len(part.Text)
		case Page:
			size += len(part.Text)
		case Image:
			size += pictureSize
		case Reasoning:
			size += max(len(part.Text), len(part.Opaque))
		case ToolCall:
			size += len(part.Name) + len(part.Arguments)
		case ToolResult:
			size += sizeOf(part.Parts)
		}
	}
	return size
}
