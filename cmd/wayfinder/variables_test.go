package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Each way to give a value gives it, and a host limits it.
func TestReadVariables(t *testing.T) {
	file := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(file, []byte("from a file \n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("WAYFINDER_TEST_VALUE", "from the environment")
	t.Setenv("WAYFINDER_TEST_KEY", "jbsw y3dp ehpk 3pxp")
	f := &variableFlags{
		vars:     []string{"a=b=c"},
		varsEnv:  []string{"env=WAYFINDER_TEST_VALUE"},
		varsFile: []string{"file=" + file, "in=-"},
		totpEnv:  []string{"code=WAYFINDER_TEST_KEY"},
		hosts:    []string{"env=shop.example", "env=*.shop.example", "code=shop.example"},
	}
	vars, err := f.read(strings.NewReader("from the input\r\n"))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"a": "b=c", "env": "from the environment", "file": "from a file ", "in": "from the input", "code": ""} {
		if got := vars[name].Value; got != want {
			t.Errorf("%s = %q, want %q", name, got, want)
		}
	}
	if got := vars["env"].Hosts; !slices.Equal(got, []string{"shop.example", "*.shop.example"}) {
		t.Errorf("hosts = %q", got)
	}
	if totp := vars["code"].TOTP; totp == nil || !slices.Equal(vars["code"].Hosts, []string{"shop.example"}) {
		t.Errorf("code = %v, want a one-time code bound to its host", vars["code"])
	}
	for _, twice := range []*variableFlags{
		{varsFile: []string{"a=-", "b=-"}},
		{varsFile: []string{"a=-"}, totpFile: []string{"b=-"}},
	} {
		if _, err := twice.read(strings.NewReader("JBSWY3DPEHPK3PXP")); err == nil || !strings.Contains(err.Error(), "one value only") {
			t.Errorf("two values from one input = %v", err)
		}
	}
	if _, err := (&variableFlags{varsFile: []string{"a=-"}}).read(strings.NewReader(strings.Repeat("x", mostOfAValue+1))); err == nil {
		t.Error("a value without end is taken")
	}
}

// TestKeysOf: what is called a key in the environment stands in no bundle.
func TestKeysOf(t *testing.T) {
	got := keysOf([]string{"OPENAI_API_KEY=sk-12345678", "db_password=correct horse", "AUTH_TOKEN=short", "HOME=/home/ann/long", "odd"})
	if want := []string{"sk-12345678", "correct horse"}; !slices.Equal(got, want) {
		t.Errorf("keysOf = %q, want %q", got, want)
	}
}
