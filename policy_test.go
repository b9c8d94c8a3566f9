package wayfinder_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/wayfinder-engine/wayfinder"

// A rule says what the packages in a folder may import besides the standard
// library: folders of this module, and third-party modules by their path.
type rule struct {
	own   []string
	third []string
}

// all stands for every folder of the module.
const all = "*"

// The house. A change here is a decision about the design: make it a commit of
// its own, with the reason. Do not change it to make a build pass.
//
// A folder has the rule of the longest entry that is a prefix of its path.
var house = map[string]rule{
	".":                           {},
	"driver":                      {},
	"driver/internal/listen":      {own: []string{"driver"}},
	"driver/internal/intercept":   {own: []string{"driver"}},
	"driver/internal/passthrough": {own: []string{"driver"}},
	"driver/cdp": {
		own: []string{"driver", "driver/internal/intercept", "driver/internal/listen", "driver/cdp/internal/protocol", "driver/cdp/internal/conn", "driver/cdp/internal/process", "driver/cdp/internal/snapshot", "driver/cdp/internal/databases", "driver/cdp/internal/guest"},
		third: []string{
			"github.com/mafredri/cdp",  // typed commands of the protocol
			"github.com/tidwall/gjson", // a few members of large events
		},
	},
	"driver/cdp/internal/protocol": {
		own:   []string{"driver/cdp/internal/conn"},
		third: []string{"github.com/mafredri/cdp"},
	},
	"driver/cdp/internal/conn": {
		own:   []string{"driver", "driver/cdp/internal/cbor"},
		third: []string{"github.com/gorilla/websocket", "github.com/tidwall/gjson"}, // Attach, and its messages of JSON
	},
	"driver/cdp/internal/databases": {own: []string{"driver"}},
	"driver/cdp/internal/guest":     {own: []string{"driver", "driver/cdp/internal/conn"}},
	"driver/cdp/internal/process":   {own: []string{"driver"}},
	"driver/cdp/internal/snapshot":  {own: []string{"driver", "driver/cdp/internal/cbor"}},
	"driver/cdp/internal/cbor":      {},
	"driver/fake": {
		own: []string{"driver", "driver/internal/intercept", "driver/internal/listen", "driver/fake/internal/dom", "driver/fake/internal/form", "driver/fake/internal/css",
			"driver/fake/internal/layout", "driver/fake/internal/network"},
		third: []string{"golang.org/x/net"}, // nodes of the HTML parser
	},
	"driver/fake/internal/layout": {
		own:   []string{"driver", "driver/fake/internal/dom", "driver/fake/internal/form", "driver/fake/internal/css"},
		third: []string{"golang.org/x/net"},
	},
	"driver/fake/internal/css": {
		own: []string{"driver", "driver/fake/internal/dom", "driver/fake/internal/form"},
		third: []string{
			"golang.org/x/net",
			"github.com/andybalholm/cascadia", // CSS selectors
		},
	},
	"driver/fake/internal/form": {
		own:   []string{"driver/fake/internal/dom"},
		third: []string{"golang.org/x/net"},
	},
	"driver/fake/internal/network": {
		own:   []string{"driver", "driver/fake/internal/dom"},
		third: []string{"golang.org/x/net"}, // public suffixes for cookies, encodings of pages
	},
	"driver/fake/internal/dom": {
		own: []string{"driver"},
		third: []string{
			"golang.org/x/net",         // HTML parser
			"github.com/antchfx/xpath", // XPath
		},
	},
	"driver/recording":  {own: []string{"driver", "driver/internal/listen", "driver/internal/passthrough", "internal/files", "internal/redact"}},
	"trace":             {own: []string{"accessibility", "agent", "agent/script", "driver", "driver/recording", "engine", "internal/outgoing", "llm", "llm/llmtest", "llm/middleware"}},
	"driver/faults":     {own: []string{"driver", "driver/internal/passthrough", "internal/pause"}},
	"driver/drivertest": {own: []string{"driver"}},
	"accessibility":     {own: []string{"accessibility/axtree", "driver", "internal/htmltable"}},

	"accessibility/axtree":               {own: []string{"driver"}},
	"accessibility/internal/htmlcapture": {own: []string{"driver", "driver/fake"}}, // for tests

	"schema": {
		third: []string{
			"github.com/santhosh-tekuri/jsonschema/v6", // validation
			"github.com/invopop/jsonschema",            // schemas from Go types
			"golang.org/x/net",                         // international host names
			"golang.org/x/text",                        // messages of the validator, Unicode forms
			"github.com/dlclark/regexp2/v2",            // patterns with lookarounds, which schema generators write
		},
	},
	"policy": {
		own:   []string{"driver"},
		third: []string{"golang.org/x/net"}, // international host names
	},
	"llm":                           {own: []string{"internal/redact"}}, // secrets in texts
	"llm/config":                    {own: []string{"llm", "schema"}},
	"llm/middleware":                {own: []string{"internal/pause", "llm"}},
	"llm/openai":                    {own: []string{"internal/vendortool", "llm", "llm/config", "schema", "internal/modelhttp"}, third: []string{"github.com/openai/openai-go/v3", "github.com/tidwall/gjson"}},
	"llm/anthropic":                 {own: []string{"internal/vendortool", "llm", "llm/config", "schema", "internal/modelhttp"}, third: []string{"github.com/anthropics/anthropic-sdk-go"}},
	"llm/google":                    {own: []string{"llm", "llm/config", "llm/internal/gemini"}},
	"llm/bedrock":                   {own: []string{"llm", "llm/config", "schema", "internal/modelhttp"}, third: []string{"github.com/aws/aws-sdk-go-v2", "github.com/aws/smithy-go"}},
	"llm/offline":                   {own: []string{"llm", "schema", "accessibility"}},
	"llm/llmtest":                   {own: []string{"llm", "schema"}, third: []string{"github.com/google/go-cmp"}}, // differences of prompts
	"internal/outgoing":             {own: []string{"accessibility", "driver"}},
	"engine":                        {own: []string{"accessibility", "driver", "internal/files", "internal/outgoing", "internal/direct", "internal/grounding", "internal/parts", "internal/pause", "internal/redact", "internal/twins", "internal/uuid", "internal/weburl", "llm", "policy", "schema"}},
	"internal/twins":                {own: []string{"accessibility", "driver"}},
	"agent":                         {own: []string{"accessibility", "agent/internal/computer", "agent/internal/dialect", "agent/internal/flow", "agent/internal/journal", "agent/internal/owned", "agent/internal/verdict", "agent/runs", "engine", "internal/outgoing", "internal/pause", "internal/redact", "internal/twins", "internal/uuid", "llm", "llm/middleware", "policy", "schema"}}, // no driver and no vendor
	"agent/runs":                    {own: []string{"internal/files"}},                                                                                                                                                                                                                                                                                                                          // records are bytes here
	"agent/runs/sqlite":             {own: []string{"agent/runs"}, third: []string{"modernc.org/sqlite"}},                                                                                                                                                                                                                                                                                       // one file for all runs
	"agent/runs/internal/storetest": {own: []string{"agent/runs"}},
	"agent/internal/journal":        {own: []string{"agent/internal/owned", "agent/runs", "engine", "llm"}},
	"agent/internal/owned":          {own: []string{"driver", "engine"}}, // the pages of a run
	"agent/internal/flow":           {own: []string{"internal/redact"}},  // texts by origin; no page and no model
	"agent/internal/oddlog":         {own: []string{"agent/runs"}},
	"agent/agenttest":               {own: []string{"agent", "engine", "llm"}}, // liars, for everybody who builds agents
	"agent/internal/verdict":        {own: []string{"internal/calendar"}},      // words and steps; no page and no model
	"agent/mcp": {
		own:   []string{"agent", "engine", "schema"},
		third: []string{"github.com/modelcontextprotocol/go-sdk"}, // servers of tools; package agent itself does not link it
	},
	"agent/program": {
		own:   []string{"accessibility", "agent", "engine", "schema"},
		third: []string{"go.starlark.net"}, // the interpreter; package agent itself does not link it
	},
	"agent/knowledge": {own: []string{"accessibility", "agent", "agent/program", "engine", "llm", "schema"}}, // llm: the replay of a program is a model that calls one tool
	"agent/script": {
		own:   []string{"accessibility", "agent", "agent/internal/journal", "agent/internal/owned", "agent/runs", "driver", "engine", "llm"},
		third: []string{"github.com/aymanbagabas/go-udiff"}, // what was healed, as a diff
	},
	"wayfindertest": {
		own:   []string{"agent", "engine", "driver", "driver/recording", "llm", "llm/llmtest", "schema", "trace"},
		third: []string{"github.com/aymanbagabas/go-udiff"}, // what differs from a golden file
	},
	"server": {
		own:   []string{"agent", "agent/program", "agent/runs", "agent/script", "engine", "driver", "internal/fleet", "internal/uuid", "internal/weburl", "llm", "llm/config", "llm/middleware", "schema", "server/wire", "wayfindertest"}, // no driver's implementation and no provider
		third: []string{"go.yaml.in/yaml/v3"},                                                                                                                                                                                              // the OpenAPI document
	},
	"server/mcp": {
		own:   []string{"agent", "agent/script", "engine", "driver", "accessibility", "policy", "schema"},
		third: []string{"github.com/modelcontextprotocol/go-sdk"}, // the protocol, its transports and its revisions
	},
	"server/runs":           {own: []string{"agent", "agent/runs", "agent/script", "internal/fleet", "internal/pause", "policy", "server", "server/client", "server/wire"}},   // runs, and their logs
	"server/internal/nodes": {own: []string{"internal/fleet", "internal/pause", "server", "server/internal/body", "server/internal/records", "server/client", "server/wire"}}, // the client for its tests
	"server/guests": {
		own:   []string{"driver", "server", "server/internal/nodes"},
		third: []string{"github.com/gorilla/websocket"}, // the clients' side
	},
	"server/internal/live":     {},
	"server/internal/records":  {own: []string{"internal/fleet", "internal/pause"}},
	"server/internal/ledger":   {own: []string{"internal/fleet", "llm", "llm/llmtest", "llm/middleware", "server/internal/records"}},
	"server/internal/profiles": {own: []string{"driver", "internal/files", "internal/fleet", "internal/pause", "server/internal/records"}},
	"server/internal/replays":  {own: []string{"internal/fleet", "internal/pause", "server/internal/records", "server/wire"}},
	"server/internal/traces":   {own: []string{"agent", "driver", "driver/recording", "engine", "internal/files", "internal/pause", "llm", "server/internal/profiles", "trace", "wayfindertest"}},
	"server/dashboard":         {own: []string{"server/internal/nodes", "server/runs", "server/wire"}}, // for its tests: it is files, which call the service as every client does
	"server/wire":              {own: []string{"schema"}},
	"server/internal/body":     {own: []string{"server/wire"}},
	"server/client":            {own: []string{"schema", "server/wire"}},
	"telemetry/spans":          {own: []string{"agent", "engine"}, third: []string{"go.opentelemetry.io/otel"}},
	"telemetry/metrics": {
		own:   []string{"engine", "llm", "llm/middleware"},
		third: []string{"github.com/prometheus/client_golang"},
	},
	"service": { // what wayfinder serve runs, as one call
		own: []string{"agent", "driver", "driver/cdp", "driver/fake", "engine", "internal/fleet", "fleet/jetstream", "llm", "llm/middleware", "llm/offline",
			"server", "server/client", "server/guests", "server/runs", "server/wire",
			"telemetry/metrics", "telemetry/spans"}, // fake, offline and the client for its example
		third: []string{
			"go.opentelemetry.io/otel",                                      // traces are sent from here
			"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp", // below the client's own
		},
	},
	"cmd/wayfinder": {own: []string{all}, third: []string{
		"github.com/spf13/cobra", "github.com/spf13/pflag", "golang.org/x/term",
		"go.yaml.in/yaml/v3",                       // the config file
		"go.opentelemetry.io/otel",                 // traces are sent from here
		"github.com/nats-io/nats-server/v2/server", // that --cluster reaches, in tests
	}},
	"cmd/demo": {own: []string{"driver/cdp", "engine", "internal/demo/tour", "llm/offline"}},    // no vendor: it is the first thing that is compiled
	"examples": {own: []string{all}, third: []string{"github.com/modelcontextprotocol/go-sdk"}}, // a client of MCP
	"bench": {
		own:   []string{"driver/cdp", "driver/fake", "engine", "internal/grounding", "llm", "llm/llmtest"},
		third: []string{"github.com/gorilla/websocket"}, // the bare protocol, which ours is measured against
	},
	"internal/chrometest": {},
	"internal/waysout":    {},
	"internal/fleet":      {},
	"fleet/jetstream": {
		own: []string{"internal/files", "internal/fleet", "internal/pause"},
		third: []string{
			"github.com/nats-io/nats-server/v2", // the server, within the process
			"github.com/minio/highwayhash",      // the checksums of its files
			"github.com/nats-io/nats.go",
		},
	},
	"bench/fleet": {
		own:   []string{"driver/fake", "engine", "internal/fleet", "internal/fleettest", "fleet/jetstream", "internal/errand", "internal/pause", "server", "server/runs"},
		third: []string{"github.com/nats-io/nats-server/v2"}, // servers of their own, that nodes are cut off from
	},
	"bench/pictures":      {own: []string{"agent", "driver", "driver/cdp", "engine", "internal/demo", "llm/offline", "server", "server/client", "server/dashboard", "server/wire", "trace"}},
	"bench/peers":         {own: []string{"agent", "driver/cdp", "engine", "llm/openai"}},
	"internal/demo":       {},
	"internal/demo/tour":  {own: []string{"engine", "internal/demo"}},
	"internal/sites":      {},
	"internal/strikes":    {own: []string{"engine"}}, // a page on which names change places, for tests of two packages
	"internal/errand":     {own: []string{"internal/pause", "llm"}},
	"internal/fleettest":  {own: []string{"internal/fleet"}}, // the suite of stores, and simulations of a fleet
	"internal/gold":       {},
	"internal/uuid":       {},
	"internal/files":      {}, // locks, and files that are there whole
	"internal/vendortool": {},
	"internal/pause":      {},
	"internal/calendar":   {},
	"internal/htmltable":  {own: []string{"driver"}},
	"internal/weburl":     {},
	"internal/mutation":   {},                                                                                          // runs the go command
	"internal/parts":      {own: []string{"accessibility", "driver", "internal/shape", "schema"}},                      // of the driver, its facts alone
	"internal/direct":     {own: []string{"accessibility", "driver", "internal/pagedata", "internal/shape", "schema"}}, // of the driver, its facts alone
	"internal/shape":      {own: []string{"schema"}},

	"internal/tools": {third: []string{"golang.org/x/mod"}}, // go.mod files, read and written

	"internal/grounding": {own: []string{"accessibility", "driver", "internal/pagedata", "internal/shape", "schema"}}, // pure: a snapshot, a schema and data
	"internal/pagedata": { // pure: a snapshot
		own:   []string{"accessibility", "driver", "internal/calendar", "internal/htmltable"},
		third: []string{"golang.org/x/text"}, // Unicode forms
	},

	"internal/redact": {third: []string{"golang.org/x/text"}}, // Unicode forms

	"internal/modelhttp": {own: []string{"llm", "schema"}, third: []string{"github.com/tidwall/gjson"}}, // what adapters of hosted models share
	"internal/transcript": { // one session through every adapter, for their tests
		own:   []string{"agent", "engine", "driver/fake", "llm", "llm/llmtest"},
		third: []string{"github.com/google/go-cmp"},
	},
	"internal/computeruse": { // tasks by vendors' own tools, through every adapter that has one, for their tests
		own: []string{"internal/vendortool", "accessibility", "agent", "agent/runs", "driver", "driver/cdp", "driver/fake", "driver/faults", "engine", "internal/vendorserver", "internal/sites", "llm"},
	},
	"internal/vendorserver": {own: []string{"llm", "llm/llmtest"}}, // the server's side of vendors' interfaces, for tests

	"llm/internal/gemini": { // for Google's two ways to the same models
		own:   []string{"internal/vendortool", "llm", "schema", "internal/modelhttp"},
		third: []string{"google.golang.org/genai"},
	},
	"llm/vertex": { // both families that Google Cloud serves
		own: []string{"llm", "llm/config", "llm/internal/gemini", "llm/anthropic", "internal/modelhttp"},
		third: []string{
			"cloud.google.com/go/auth", // tokens for a service account
			"github.com/tidwall/gjson",
		},
	},

	// The vendors' tools for browsers: tables of names, and no vendor's SDK.
	"agent/internal/dialect":  {own: []string{"internal/vendortool", "agent/internal/computer", "llm"}},
	"agent/anthropicbrowser":  {own: []string{"internal/vendortool", "agent/internal/computer", "agent/internal/dialect", "agent/internal/owned", "engine", "llm"}}, // usable without an SDK
	"agent/internal/computer": {own: []string{"accessibility", "agent/internal/owned", "driver", "engine", "internal/pause", "llm"}},
}

// What tests may import beyond their folder's rule. A test of any folder may
// use the drivers, the scripted model, and what compares values.
var tests = rule{
	own:   []string{"internal/chrometest", "internal/waysout", "driver", "driver/cdp", "driver/fake", "driver/faults", "driver/drivertest", "driver/recording", "llm/llmtest", "llm", "llm/config", "llm/middleware", "schema", "accessibility", "accessibility/axtree", "accessibility/internal/htmlcapture", "llm/offline", "internal/vendorserver", "internal/transcript", "internal/computeruse", "internal/sites", "internal/strikes", "internal/gold", "internal/errand", "engine", "agent", "agent/agenttest", "agent/internal/oddlog", "agent/program", "agent/runs", "agent/runs/internal/storetest", "agent/script", "server", "server/internal/profiles", "server/internal/replays", "server/internal/traces", "trace", "wayfindertest", "internal/fleettest", "internal/fleet", "fleet/jetstream"},
	third: []string{"github.com/google/go-cmp", "github.com/modelcontextprotocol/go-sdk", "golang.org/x/net", "golang.org/x/sync", "golang.org/x/tools"},
}

// TestImports parses every file and holds its imports against the house. It
// reads the files itself: what a tool prints may come from the test cache.
func TestImports(t *testing.T) {
	used := map[string]bool{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name := d.Name(); path != "." && (strings.HasPrefix(name, ".") || name == "testdata") {
				return filepath.SkipDir
			}
			return nil
		}
		if strings.HasSuffix(path, ".go") {
			used[checkFile(t, filepath.ToSlash(path))] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for folder := range house {
		if _, err := os.Stat(folder); err == nil && !used[folder] {
			t.Errorf("the house lists %q, where no Go file is", folder)
		}
	}
}

// checkFile reports the imports of a file that its folder may not have, and
// returns the entry of the house that applied.
func checkFile(t *testing.T, path string) string {
	folder := filepath.ToSlash(filepath.Dir(path))
	entry, ok := entryFor(folder)
	if !ok {
		t.Errorf("%s: the house has no entry for %q", path, folder)
		return ""
	}
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
	if err != nil {
		t.Error(err)
		return entry
	}
	test := strings.HasSuffix(path, "_test.go")
	for _, spec := range file.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Error(err)
			continue
		}
		if !mayImport(house[entry], folder, imported) && !(test && mayImport(tests, folder, imported)) {
			t.Errorf("%s imports %s, which the house does not allow there", path, imported)
		}
	}
	return entry
}

func entryFor(folder string) (string, bool) {
	for f := folder; ; f = filepath.ToSlash(filepath.Dir(f)) {
		if _, ok := house[f]; ok && (f != "." || folder == ".") {
			return f, true
		}
		if f == "." {
			return "", false
		}
	}
}

func mayImport(r rule, folder, imported string) bool {
	if inside, ok := strings.CutPrefix(imported, module); ok {
		inside = strings.TrimPrefix(inside, "/")
		// A folder may always use itself and what is internal to it.
		return slices.Contains(r.own, all) || slices.Contains(r.own, inside) || inside == folder ||
			strings.HasPrefix(inside, folder+"/internal/")
	}
	if first, _, _ := strings.Cut(imported, "/"); !strings.Contains(first, ".") {
		return true // the standard library
	}
	return slices.ContainsFunc(r.third, func(m string) bool {
		return imported == m || strings.HasPrefix(imported, m+"/")
	})
}
