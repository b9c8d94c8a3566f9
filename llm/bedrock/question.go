package bedrock

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/document"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"

	"github.com/wayfinder-engine/wayfinder/internal/modelhttp"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/schema"
)

// withoutTools is said where tools are forbidden: the vendor has no choice of
// that name, and wants the tools of earlier calls to be there.
const withoutTools = "Answer without calling a tool."

// A question is a request as the vendor takes it.
type question struct {
	system   []types.SystemContentBlock
	messages []types.Message
	tools    *types.ToolConfiguration
	limits   *types.InferenceConfiguration

	form       modelhttp.Form // of the answer
	answerTool string         // the tool that the model must answer by; empty if none
}

// shape decides how the answer's schema is said: as that of a tool which the model must
// call, or else in words.
func (q *question) shape(req *llm.Request, known manner) (err error) {
	if q.form, err = modelhttp.NewForm(req, schema.Plain, !forced(req) || known.inWords); err != nil || q.form.Schema == nil {
		return err
	}
	q.answerTool = req.Schema.Name
	tool, err := toolSpec(llm.Tool{Name: q.answerTool, Description: "Gives the answer.", Parameters: q.form.Schema})
	if err != nil {
		return err
	}
	q.tools = &types.ToolConfiguration{Tools: []types.Tool{tool},
		ToolChoice: &types.ToolChoiceMemberTool{Value: types.SpecificToolChoice{Name: &q.answerTool}}}
	return nil
}

func limits(req *llm.Request, known manner) *types.InferenceConfiguration {
	var l types.InferenceConfiguration
	if req.MaxOutputTokens > 0 {
		l.MaxTokens = aws.Int32(int32(min(req.MaxOutputTokens, 1<<30)))
	}
	if req.Temperature != nil && !known.noTemperature {
		l.Temperature = aws.Float32(float32(*req.Temperature))
	}
	if l.MaxTokens == nil && l.Temperature == nil {
		return nil
	}
	return &l
}

// writeTools writes the request's own tools.
func (q *question) writeTools(req *llm.Request) error {
	if len(req.Tools) == 0 {
		return nil
	}
	if req.ToolChoice.Mode == llm.ToolNone {
		last := &q.messages[len(q.messages)-1]
		last.Content = append(last.Content, &types.ContentBlockMemberText{Value: withoutTools})
		if !mentionsTools(q.messages) {
			return nil
		}
	}
	config := &types.ToolConfiguration{}
	for _, tool := range req.Tools {
		spec, err := toolSpec(tool)
		if err != nil {
			return err
		}
		config.Tools = append(config.Tools, spec)
	}
	switch req.ToolChoice.Mode {
	case llm.ToolRequired:
		config.ToolChoice = &types.ToolChoiceMemberAny{}
	case llm.ToolNamed:
		config.ToolChoice = &types.ToolChoiceMemberTool{Value: types.SpecificToolChoice{Name: aws.String(req.ToolChoice.Name)}}
	}
	q.tools = config
	return nil
}

// unwrap makes the arguments of the answer's tool the answer. A model that
// talked all the same has said what the validator will judge.
func (q *question) unwrap(resp *llm.Response) *llm.Response {
	for _, call := range resp.ToolCalls {
		if call.Name == q.answerTool {
			resp.Text = string(call.Arguments)
		}
	}
	resp.ToolCalls = nil
	resp.Text = q.form.Restore(resp.Text)
	return resp
}

// writeMessages writes the conversation. The vendor wants the two sides to
// speak in turn, so that what one says in a row becomes one message.
func (q *question) writeMessages(req *llm.Request, marks []int) error {
	for i, message := range req.Messages {
		content, err := contentBlocks(message)
		if err != nil {
			return err
		}
		role := types.ConversationRole(message.Role)
		switch n := len(q.messages); {
		case len(content) == 0:
		case n > 0 && q.messages[n-1].Role == role:
			q.messages[n-1].Content = append(q.messages[n-1].Content, content...)
		default:
			q.messages = append(q.messages, types.Message{Role: role, Content: content})
		}
		if n := len(q.messages); n > 0 && len(content) > 0 && slices.Contains(marks, i) {
			q.messages[n-1].Content = append(q.messages[n-1].Content, cachePoint())
		}
	}
	if len(q.messages) == 0 {
		return &llm.Error{Kind: llm.KindInvalid, Message: "the request has no words"}
	}
	return nil
}

func mentionsTools(messages []types.Message) bool {
	for _, message := range messages {
		for _, block := range message.Content {
			switch block.(type) {
			case *types.ContentBlockMemberToolUse, *types.ContentBlockMemberToolResult:
				return true
			}
		}
	}
	return false
}

func toolSpec(tool llm.Tool) (types.Tool, error) {
	parameters := tool.Parameters
	if len(parameters) == 0 {
		parameters = json.RawMessage(`{"type":"object","properties":{}}`)
	}
	doc, err := newDocument(parameters)
	if err != nil {
		return nil, &llm.Error{Kind: llm.KindInvalid, Message: "the parameters of the tool " + tool.Name + ": " + err.Error(), Err: err}
	}
	spec := types.ToolSpecification{Name: aws.String(tool.Name), InputSchema: &types.ToolInputSchemaMemberJson{Value: doc}}
	if tool.Description != "" {
		spec.Description = aws.String(tool.Description)
	}
	return &types.ToolMemberToolSpec{Value: spec}, nil
}

// caches reports whether a model is one of those that take marks for the cache.
func caches(model string) bool {
	return strings.Contains(model, "anthropic.claude") || strings.Contains(model, "amazon.nova")
}

// cachePoint ends what stays the same from request to request.
func cachePoint() types.ContentBlock {
	return &types.ContentBlockMemberCachePoint{Value: types.CachePointBlock{Type: types.CachePointTypeDefault}}
}

// A rawDocument is JSON that is sent as it stands, for the sake of the order of
// its members. The SDK's own documents lose it.
type rawDocument struct {
	document.Interface // closes the set of implementations; never called
	raw                []byte
}

// MarshalSmithyDocument returns the JSON.
func (d rawDocument) MarshalSmithyDocument() ([]byte, error) { return d.raw, nil }

func newDocument(raw json.RawMessage) (document.Interface, error) {
	var compact bytes.Buffer
	if err := json.Compact(&compact, raw); err != nil {
		return nil, err
	}
	return rawDocument{raw: compact.Bytes()}, nil
}

// A manner is how a model is asked, as far as its refusals have taught. The zero value expects everything of it.
type manner struct {
	inWords       bool // the schema goes into the prompt, in words: no tool can be forced
	noTemperature bool
	noCache       bool // it takes no marks for the prompt cache
	noSystem      bool // it takes no system prompt, which then begins the first message
}

// What the vendor says of a model that does not take a part of a request.
var (
	aboutTools       = regexp.MustCompile(`(?i)tool ?(use|choice|config|spec)|inputSchema|input_schema`)
	aboutTemperature = regexp.MustCompile(`(?i)temperature`)
	aboutCache       = regexp.MustCompile(`(?i)cache ?point|prompt cach`)
	aboutSystem      = regexp.MustCompile(`(?i)support system|system (messages?|prompts?) (is|are) not`)
)

// learn takes a refusal as news about the model. It returns the manner in which
// the same request is worth another try, if it is; that is so at most once for
// each habit.
func (m *Model) learn(err error, req *llm.Request, asked manner) (next manner, again bool) {
	e, ok := errors.AsType[*llm.Error](err)
	if !ok || e.Status != http.StatusBadRequest && e.Status != http.StatusForbidden {
		return asked, false
	}
	var change func(*manner)
	switch {
	case !asked.noCache && aboutCache.MatchString(e.Message):
		change = func(k *manner) { k.noCache = true }
	case e.Status == http.StatusForbidden:
		return asked, false
	case !asked.noSystem && aboutSystem.MatchString(e.Message):
		change = func(k *manner) { k.noSystem = true }
	case req.Temperature != nil && !asked.noTemperature && aboutTemperature.MatchString(e.Message):
		change = func(k *manner) { k.noTemperature = true }
	case forced(req) && !asked.inWords && aboutTools.MatchString(e.Message):
		change = func(k *manner) { k.inWords = true }
	default:
		return asked, false
	}
	m.habits.Change(change)
	change(&asked)
	return asked, true
}

// forced reports whether a request's schema is that of a tool which the model
// must call. With tools of its own the model has to be free to call those.
func forced(req *llm.Request) bool { return req.Schema != nil && len(req.Tools) == 0 }
