package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"
)

// configure sets the flags that the command line left alone: from the
// environment, as WAYFINDER_MAX_SESSIONS for --max-sessions, and then from the
// YAML file at path, whose members are named as the flags are. An empty path is
// no file. What a flag does not take, and a name that is none, are errors.
func configure(flags *pflag.FlagSet, path string, lookup func(string) (string, bool)) error {
	if err := fromEnvironment(flags, lookup); err != nil {
		return err
	}
	if path == "" {
		return nil
	}
	members, err := readConfiguration(path)
	if err != nil {
		return err
	}
	for name, values := range members {
		f := flags.Lookup(name)
		if f == nil || f.Hidden || name == "help" || name == "config" {
			return usage("%s: there is no setting %q; the settings are named as the flags are", path, name)
		}
		if f.Changed {
			continue
		}
		for _, value := range values {
			if err := flags.Set(name, value); err != nil {
				return usage("%s: %s: %v", path, name, err)
			}
		}
	}
	return nil
}

func fromEnvironment(flags *pflag.FlagSet, lookup func(string) (string, bool)) (err error) {
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Changed || err != nil {
			return
		}
		name := variableOf(f.Name)
		if value, ok := lookup(name); ok && value != "" {
			if e := flags.Set(f.Name, value); e != nil {
				err = usage("%s: %v", name, e)
			}
		}
	})
	return err
}

// variableOf is the environment's name for a flag.
func variableOf(flag string) string {
	return "WAYFINDER_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// readConfiguration returns the members of a YAML file, each with its values:
// one, or those of a list.
func readConfiguration(path string) (map[string][]string, error) {
	source, err := os.ReadFile(path)
	if err != nil {
		return nil, missing(fmt.Errorf("the config file cannot be read: %w", err))
	}
	var document map[string]yaml.Node
	d := yaml.NewDecoder(bytes.NewReader(source))
	if err := d.Decode(&document); err != nil && !errors.Is(err, io.EOF) {
		return nil, usage("%s: %s", path, strings.TrimPrefix(err.Error(), "yaml: "))
	}
	members := map[string][]string{}
	for name, node := range document {
		switch node.Kind {
		case yaml.ScalarNode:
			members[name] = []string{node.Value}
		case yaml.SequenceNode:
			for _, item := range node.Content {
				if item.Kind != yaml.ScalarNode {
					return nil, usage("%s:%d: %s: a list holds single values", path, item.Line, name)
				}
				members[name] = append(members[name], item.Value)
			}
		default:
			return nil, usage("%s:%d: %s: write a value, or a list of values", path, node.Line, name)
		}
	}
	return members, nil
}
