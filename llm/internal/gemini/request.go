package gemini

import (
	"encoding/json"
	"errors"
	"net/http"
	"regexp"
	"sync/atomic"

	"google.golang.org/genai"

	"github.com/wayfinder-engine/wayfinder/internal/modelhttp"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// A question is a request in the SDK's words.
type question struct {
	contents []*genai.Content
	config   *genai.GenerateContentConfig
	form     modelhttp.Form // of the answer
	calls    int            // calls in the conversation so far
	own      ownFunctions
}

// asWritten puts tools and the schema into a body as they stand: the SDK would
// sort their members, and a model answers in the order of a schema's.
func asWritten(tools []llm.Tool, computer bool, narrowed json.RawMessage) genai.ExtrasRequestProvider {
	return func(body map[string]any) map[string]any {
		var functions []any
		for _, tool := range tools {
			f := map[string]any{"name": tool.Name}
			if tool.Description != "" {
				f["description"] = tool.Description
			}
			if len(tool.Parameters) > 0 {
				f["parametersJsonSchema"] = tool.Parameters
			}
			functions = append(functions, f)
		}
		var all []any
		if computer {
			all = append(all, map[string]any{"computerUse": map[string]any{"environment": string(genai.EnvironmentBrowser)}})
		}
		if functions != nil {
			all = append(all, map[string]any{"functionDeclarations": functions})
		}
		if all != nil {
			body["tools"] = all
		}
		generation, _ := body["generationConfig"].(map[string]any)
		if narrowed != nil && generation != nil {
			generation["responseJsonSchema"] = narrowed
		}
		if len(generation) == 0 {
			delete(body, "generationConfig")
		}
		return body
	}
}

func toolConfig(choice llm.ToolChoice) *genai.ToolConfig {
	c := &genai.FunctionCallingConfig{Mode: genai.FunctionCallingConfigModeAny}
	switch choice.Mode {
	case llm.ToolAuto:
		return nil
	case llm.ToolNone:
		c.Mode = genai.FunctionCallingConfigModeNone
	case llm.ToolNamed:
		c.AllowedFunctionNames = []string{choice.Name}
	}
	return &genai.ToolConfig{FunctionCallingConfig: c}
}

// parts writes one message. Results come first: the vendor wants those of all
// calls right after the calls.
func (q *question) parts(message llm.Message, how manner) []*genai.Part {
	var results, parts, calls []*genai.Part
	var signature []byte // of the words that follow
	for _, part := range message.Parts {
		switch part := part.(type) {
		case llm.Image:
			parts = append(parts, genai.NewPartFromBytes(part.Data, part.MediaType))
		case llm.Reasoning:
			if !how.unsigned {
				signature = signatureOf(part.Opaque)
			}
		case llm.ToolCall:
			call := &genai.Part{FunctionCall: &genai.FunctionCall{ID: part.ID, Name: part.Name, Args: arguments(part)}}
			if !how.unsigned {
				call.ThoughtSignature = signatureOf(part.Opaque)
			}
			calls = append(calls, call)
			parts = append(parts, call)
		case llm.ToolResult:
			written := result(part)
			results = append(results, written)
			for _, inner := range part.Parts {
				image, ok := inner.(llm.Image)
				switch {
				case !ok:
				case !how.beside:
					picture := genai.NewFunctionResponsePartFromBytes(image.Data, image.MediaType)
					written.FunctionResponse.Parts = append(written.FunctionResponse.Parts, picture)
				default:
					parts = append(parts, genai.NewPartFromText("The picture that "+part.Name+" returned:"), genai.NewPartFromBytes(image.Data, image.MediaType))
				}
			}
		default:
			if text, ok := llm.PartText(part); ok && text != "" {
				written := genai.NewPartFromText(text)
				written.ThoughtSignature, signature = signature, nil
				parts = append(parts, written)
			}
		}
	}
	if how.unsigned && len(calls) > 0 {
		calls[0].ThoughtSignature = []byte(noSignature)
	}
	q.calls += len(calls)
	return append(results, parts...)
}

// noSignature is what the vendor's documentation says to send for a call that
// one of its models did not make, so that a signature is not looked for.
const noSignature = "skip_thought_signature_validator"

// arguments decodes a call's; what is no object is none.
func arguments(call llm.ToolCall) map[string]any {
	var args map[string]any
	if json.Unmarshal(call.Arguments, &args) != nil {
		return nil
	}
	return args
}

func result(r llm.ToolResult) *genai.Part {
	member := "output"
	if r.Error {
		member = "error"
	}
	response := map[string]any{member: llm.ResultText(r)}
	addComputer(response, r)
	return &genai.Part{FunctionResponse: &genai.FunctionResponse{ID: r.ID, Name: r.Name, Response: response}}
}

// opaque is how a thought's signature is kept with its call or its words. The name tells it
// from what other providers keep there.
type opaque struct {
	Signature []byte `json:"thoughtSignature"`
}

func signatureOf(raw []byte) []byte {
	var o opaque
	if json.Unmarshal(raw, &o) != nil {
		return nil // another provider's
	}
	return o.Signature
}

// A manner is how a request is put. The zero value uses all that Gemini has.
type manner struct {
	inWords  bool // the schema of the answer goes into the prompt, in words
	unsigned bool // calls go back without the signatures that came with them
	beside   bool // pictures of results stand beside them
}

// habits are what is known of a model.
type habits struct {
	noSchema          atomic.Bool // it takes no schema
	noSchemaWithTools atomic.Bool // it takes none beside tools
	noPictures        atomic.Bool // it takes no pictures within results
}

// within are the models that take pictures within a tool's result.
var within = regexp.MustCompile(`gemini-(?:[3-9]|\d\d)|computer-use`)

// manner is the one to begin with.
func (h *habits) manner(req *llm.Request, model string) manner {
	return manner{beside: h.noPictures.Load() || !within.MatchString(model), inWords: req.Schema != nil && (h.noSchema.Load() || len(req.Tools) > 0 && h.noSchemaWithTools.Load())}
}

// What the vendor says when it does not take a part of a request.
var (
	aboutSignature = regexp.MustCompile(`(?i)thought.?signature`)
	aboutPictures  = regexp.MustCompile(`(?i)function_?response.{0,3}parts`)
	aboutTools     = regexp.MustCompile(`(?i)function calling|tool use`)
	aboutFormat    = regexp.MustCompile(`(?i)schema|mime.?type|json mode`)
	aboutAnySchema = regexp.MustCompile(`(?i)json mode|unknown name|not (?:supported|enabled)|unsupported`)
)

// learn takes a refusal as news. It returns the manner in which the same
// request is worth another try, if there is one. What is about one schema or
// one conversation alone is not remembered.
func (h *habits) learn(err error, req *llm.Request, sent manner) (next manner, again bool) {
	e, ok := errors.AsType[*llm.Error](err)
	if !ok || e.Kind != llm.KindInvalid || e.Status != http.StatusBadRequest {
		return sent, false
	}
	next = sent
	switch {
	case !sent.unsigned && aboutSignature.MatchString(e.Message):
		next.unsigned = true
		return next, true
	case !sent.beside && aboutPictures.MatchString(e.Message):
		h.noPictures.Store(true)
		next.beside = true
		return next, true
	case req.Schema == nil || sent.inWords || !aboutFormat.MatchString(e.Message):
		return sent, false
	case len(req.Tools) > 0 && aboutTools.MatchString(e.Message):
		h.noSchemaWithTools.Store(true)
	case aboutAnySchema.MatchString(e.Message):
		h.noSchema.Store(true)
	}
	next.inWords = true
	return next, true
}
