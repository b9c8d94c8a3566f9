package server_test

import (
	"encoding/json"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/agent/script"
	"github.com/wayfinder-engine/wayfinder/llm/config"
	"github.com/wayfinder-engine/wayfinder/server/internal/body"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

// wireTypes are the schemas of the contract and their types in Go.
var wireTypes = map[string]any{
	"SessionStart": wire.SessionStart{}, "Browser": wire.Browser{}, "LaunchOptions": wire.LaunchOptions{},
	"Proxy": wire.Proxy{}, "Viewport": wire.Viewport{},
	"SessionStartResponse": wire.Success[wire.SessionStarted]{}, "SessionStartData": wire.SessionStarted{},
	"EndRequest": struct{}{}, "EndResponse": body.Ended{},
	"ActRequest": wire.ActRequest{}, "ActOptions": wire.ActOptions{}, "Action": wire.Action{}, "ActionOutput": wire.Action{},
	"ActResponse": wire.Success[wire.ActData]{}, "ActResultOutput": wire.ActData{}, "ActResultDataOutput": wire.ActResult{},
	"ObserveRequest": wire.ObserveRequest{}, "ObserveOptions": wire.ObserveOptions{},
	"ObserveResponse": wire.Success[wire.ObserveData]{}, "ObserveData": wire.ObserveData{},
	"ExtractRequest": wire.ExtractRequest{}, "ExtractOptions": wire.ExtractOptions{},
	"ExtractResponse": wire.Success[wire.ExtractData]{}, "ExtractData": wire.ExtractData{},
	"ExtractReport": wire.ExtractReport{}, "Source": wire.Source{}, "Sentence": wire.Sentence{}, "Ungrounded": wire.Ungrounded{}, "Omission": wire.Omission{},
	"NavigateRequest": wire.NavigateRequest{}, "NavigateOptions": wire.NavigateOptions{},
	"NavigateResponse": wire.Success[wire.NavigateData]{}, "NavigateData": wire.NavigateData{}, "NavigateResult": wire.NavigateResult{},
	"AgentExecuteRequest": wire.AgentExecuteRequest{}, "AgentConfig": wire.AgentConfig{}, "AgentExecuteOptions": wire.AgentExecuteOptions{},
	"Check": wire.Check{}, "Flow": wire.Flow{}, "AgentMessage": wire.AgentMessage{},
	"AgentExecuteResponse": wire.Success[wire.AgentData]{}, "AgentData": wire.AgentData{}, "CacheEntry": wire.CacheEntry{},
	"AgentResult": wire.AgentResult{}, "AgentAction": wire.AgentAction{}, "AgentUsage": wire.AgentUsage{},
	"Script": script.Script{}, "ScriptRequest": wire.ScriptRequest{}, "ScriptOptions": wire.ScriptOptions{},
	"ScriptResponse": wire.Success[wire.ScriptData]{}, "ScriptResult": wire.ScriptResult{}, "ScriptStep": wire.ScriptStep{},
	"ReplayResponse": wire.Success[wire.Replay]{}, "Replay": wire.Replay{}, "ReplayPage": wire.ReplayPage{},
	"ReplayAction": wire.ReplayAction{}, "TokenUsage": wire.TokenUsage{},
	"VendorSession": body.VendorSession{}, "VendorUpdate": body.VendorUpdate{}, "VendorDebug": body.VendorDebug{},
	"VendorPage": body.VendorPage{}, "VendorViewport": body.VendorViewport{},
	"RunCreate": wire.RunCreate{}, "Run": wire.Run{}, "RunResponse": wire.Success[wire.RunData]{},
	"RunListResponse": wire.Success[wire.RunList]{}, "RunEvent": wire.RunEvent{},
	"SessionListResponse": wire.Success[wire.SessionList]{}, "SessionList": wire.SessionList{}, "SessionSummary": wire.SessionSummary{}, "Doing": wire.Doing{},
	"NodeListResponse": wire.Success[body.Nodes]{}, "Nodes": body.Nodes{}, "Node": body.Node{}, "Queue": body.Queue{},
	"LiveEvent": body.LiveEvent{}, "LiveState": body.LiveState{}, "LivePage": body.LivePage{}, "LivePicture": body.LivePicture{}, "LiveOutline": body.LiveOutline{},
	"TakeRequest": body.TakeRequest{}, "TakeResponse": wire.Success[body.Taken]{}, "Taken": body.Taken{}, "GiveBackResponse": wire.Success[body.GivenBack]{},
	"InputRequest": body.InputRequest{}, "InputEvent": body.InputEvent{}, "InputResponse": wire.Success[body.GivenBack]{},
	"Profile": wire.Profile{}, "ProfileUser": wire.ProfileUser{}, "ProfilePut": wire.ProfilePut{},
	"ProfileRename": wire.ProfileRename{}, "ProfileResponse": wire.Success[wire.ProfileData]{}, "ProfileListResponse": wire.Success[wire.ProfileList]{},
	"StorageState": wire.StorageState{}, "Cookie": wire.Cookie{}, "OriginStorage": wire.OriginStorage{}, "StorageEntry": wire.StorageEntry{},
	"Database": wire.Database{}, "ObjectStore": wire.ObjectStore{}, "DatabaseIndex": wire.DatabaseIndex{}, "DatabaseRecord": wire.DatabaseRecord{},
	"LeftOut":     wire.LeftOut{},
	"StreamFrame": wire.Frame{}, "Status": body.Health{}, "Error": wire.Failure{},
}

// TestTypesAreTheSchemas holds the members of every type against the
// properties of its schema, and its optional members against what is required.
func TestTypesAreTheSchemas(t *testing.T) {
	doc, err := readOpenAPI()
	if err != nil {
		t.Fatal(err)
	}
	schemas := at(doc.tree, "components", "schemas").(map[string]any)
	for name, v := range wireTypes {
		form, ok := schemas[name].(map[string]any)
		if !ok {
			t.Errorf("the contract has no schema %s", name)
			continue
		}
		members, needed := membersOf(reflect.TypeOf(v))
		properties, _ := form["properties"].(map[string]any)
		if want := slices.Sorted(maps.Keys(properties)); !slices.Equal(members, want) {
			t.Errorf("%s: %T has %v, the schema %v", name, v, members, want)
		}
		var required []string
		list, _ := form["required"].([]any)
		for _, r := range list {
			required = append(required, r.(string))
		}
		slices.Sort(required)
		if !slices.Equal(needed, required) {
			t.Errorf("%s: %T always has %v, the schema requires %v", name, v, needed, required)
		}
	}
	for name, form := range schemas {
		_, isObject := form.(map[string]any)["properties"]
		if isObject && wireTypes[name] == nil && !heldElsewhere(name) {
			t.Errorf("the schema %s has no type", name)
		}
	}
}

// heldElsewhere are the schemas that other tests hold: those of models, by what
// package llm takes; the kinds of frames, by the streams that are read; those
// of variables and issues, by their own types' methods and package schema.
func heldElsewhere(name string) bool {
	return strings.Contains(name, "ModelConfig") || strings.HasPrefix(name, "Vertex") || strings.HasPrefix(name, "Azure") ||
		strings.HasPrefix(name, "Stream") || name == "ServiceAccount" || name == "RichVariable" || name == "Issue"
}

func membersOf(typ reflect.Type) (all, needed []string) {
	for i := range typ.NumField() {
		name, options, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
		if name == "-" {
			continue // not in the body
		}
		all = append(all, name)
		if !strings.Contains(options, "omitempty") && !strings.Contains(options, "omitzero") {
			needed = append(needed, name)
		}
	}
	slices.Sort(all)
	slices.Sort(needed)
	return all, needed
}

// TestCodesAreTheSchema holds the codes and their statuses against the
// contract's list.
func TestCodesAreTheSchema(t *testing.T) {
	doc, err := readOpenAPI()
	if err != nil {
		t.Fatal(err)
	}
	var listed []string
	for _, code := range at(doc.tree, "components", "schemas", "Error", "properties", "code", "enum").([]any) {
		listed = append(listed, code.(string))
	}
	slices.Sort(listed)
	source, err := os.ReadFile("wire/errors.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, code := range listed {
		if !strings.Contains(string(source), `"`+code+`"`) {
			t.Errorf("package wire has no code %q", code)
		}
	}
	if n := strings.Count(string(source), "Code = \""); n != len(listed) {
		t.Errorf("package wire has %d codes, the contract %d", n, len(listed))
	}
}

// TestModelFormsAreOne holds what the contract takes as a model against what
// package llm takes.
func TestModelFormsAreOne(t *testing.T) {
	doc, err := readOpenAPI()
	if err != nil {
		t.Fatal(err)
	}
	form, err := doc.component("Model")
	if err != nil {
		t.Fatal(err)
	}
	for _, document := range modelDocuments() {
		_, parsed := config.Parse([]byte(document))
		valid := form.Validate([]byte(document))
		if parsed != nil && strings.Contains(parsed.Error(), "names no provider") {
			parsed = nil // a name's meaning is no matter of form
		}
		if (parsed == nil) != (valid == nil) {
			t.Errorf("%s:\n llm says %v,\n the contract %v", document, parsed, valid)
		}
	}
}

// modelDocuments are each form whole, without each of its members, with a
// wrong one in each place, and with one too many.
func modelDocuments() []string {
	const account = `{"private_key":"k","client_email":"a@b.test","type":"service_account","project_id":"p","private_key_id":"i","client_id":"c",` +
		`"universe_domain":"u","auth_uri":"https://a.test/","token_uri":"https://t.test/","auth_provider_x509_cert_url":"https://c.test/","client_x509_cert_url":"https://d.test/"}`
	forms := []string{
		`{"modelName":"vertex/m","provider":"vertex","apiKey":"k","baseURL":"https://v.test","headers":{"a":"b"},"auth":{"type":"googleServiceAccount","credentials":` + account +
			`,"scopes":["s"],"projectId":"p","universeDomain":"u"},"providerOptions":{"vertex":{"project":"p","location":"l","baseURL":"https://v.test","headers":{"a":"b"}}}}`,
		`{"modelName":"vertex/m","provider":"cloudA","auth":{"type":"cloudAServiceAccount","credentials":` + account + `,"scopes":"s"},"providerOptions":{"cloudA":{"project":"p","location":"l"}}}`,
		`{"modelName":"azure/m","provider":"azure","baseURL":"https://a.test","headers":{"a":"b"},"auth":{"type":"azureEntraId","token":"t"},` +
			`"providerOptions":{"azure":{"resourceName":"r","baseURL":"https://a.test","apiVersion":"v","useDeploymentBasedUrls":true,"headers":{"a":"b"}}}}`,
		`{"modelName":"azure/m","provider":"cloudB","auth":{"type":"cloudBIdentityToken","token":"t"},"providerOptions":{"cloudB":{}}}`,
		`{"modelName":"azure/m","provider":"azure","apiKey":"k","providerOptions":{"azure":{}}}`,
		`{"modelName":"openai/m","provider":"openai","apiKey":"k","baseURL":"http://o.test","headers":{"a":"b"},"openaiEndpointFormat":"chat"}`,
		`{"modelName":"m","provider":"<provider_2>"}`,
		`{"modelName":"m","baseURL":"http://o.test"}`,
	}
	list := append([]string{`"openai/gpt-5"`, `""`, `1`, `null`, `[]`, `{}`}, forms...)
	for _, form := range forms {
		var v any
		if err := json.Unmarshal([]byte(form), &v); err != nil {
			panic(err) // the list above is wrong
		}
		for mutant := range mutants(v) {
			raw, err := json.Marshal(mutant)
			if err != nil {
				panic(err) // it was read from JSON
			}
			list = append(list, string(raw))
		}
	}
	return list
}
