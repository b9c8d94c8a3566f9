package server

import (
	"testing"

	"go.yaml.in/yaml/v3"
)

// TestNothingEmptyInTheContract: an unquoted comma in a description between braces makes
// a member of the rest of it, without a value. Nothing else in the contract has none.
func TestNothingEmptyInTheContract(t *testing.T) {
	var tree yaml.Node
	if err := yaml.Unmarshal(openapiYAML, &tree); err != nil {
		t.Fatal(err)
	}
	var look func(n *yaml.Node)
	look = func(n *yaml.Node) {
		for i, c := range n.Content {
			if n.Kind == yaml.MappingNode && i%2 == 1 && c.Tag == "!!null" {
				t.Errorf("openapi.yaml:%d: %q has no value: quote the text before it", c.Line, n.Content[i-1].Value)
			}
			look(c)
		}
	}
	look(&tree)
}
