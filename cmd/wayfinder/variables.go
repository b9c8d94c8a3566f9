package main

import (
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/policy"
)

// variableFlags give values to the placeholders of instructions. Secrets come
// from the environment, a file or the standard input: what stands on a command
// line can be read by everyone on the machine.
type variableFlags struct {
	vars, varsEnv, varsFile []string // NAME=VALUE, NAME=VARIABLE, NAME=FILE
	totpEnv, totpFile       []string
	hosts                   []string // NAME=HOST
}

func (f *variableFlags) define(flags *pflag.FlagSet) {
	flags.StringArrayVar(&f.vars, "var", nil, "NAME=VALUE: %NAME% in an instruction stands for the value, which no model sees (may be repeated)")
	flags.StringArrayVar(&f.varsEnv, "var-env", nil, "NAME=VARIABLE: the same, with the value of an environment variable")
	flags.StringArrayVar(&f.varsFile, "var-file", nil, "NAME=FILE: the same, with what a file holds; - is the standard input")
	flags.StringArrayVar(&f.totpEnv, "totp-env", nil, "NAME=VARIABLE: one-time codes, by the key (base32 or otpauth://…) in an environment variable")
	flags.StringArrayVar(&f.totpFile, "totp-file", nil, "NAME=FILE: the same, by the key that a file holds; - is the standard input")
	flags.StringArrayVar(&f.hosts, "var-host", nil, "NAME=HOST: type it into documents of this host alone, as shop.example or *.shop.example")
}

// read makes the variables of the flags. What a flag holds is not repeated in
// an error where it may be a secret.
func (f *variableFlags) read(in io.Reader) (map[string]engine.Variable, error) {
	r := &variableReader{in: in, vars: map[string]engine.Variable{}}
	plain := func(value string) (engine.Variable, error) { return engine.Variable{Value: value}, nil }
	code := func(value string) (engine.Variable, error) {
		totp, err := engine.ParseTOTP(value)
		return engine.Variable{TOTP: totp}, err
	}
	for _, source := range []struct {
		flag, form string
		entries    []string
		value      func(flag, from string) (string, error)
		make       func(string) (engine.Variable, error)
	}{
		{"--var", "NAME=VALUE", f.vars, r.literal, plain},
		{"--var-env", "NAME=VARIABLE", f.varsEnv, r.environment, plain},
		{"--var-file", "NAME=FILE", f.varsFile, r.file, plain},
		{"--totp-env", "NAME=VARIABLE", f.totpEnv, r.environment, code},
		{"--totp-file", "NAME=FILE", f.totpFile, r.file, code},
	} {
		for _, entry := range source.entries {
			name, from, err := splitEntry(source.flag, source.form, entry)
			if err != nil {
				return nil, err
			}
			value, err := source.value(source.flag, from)
			if err != nil {
				return nil, err
			}
			v, err := source.make(value)
			if err != nil {
				return nil, usage("%s %s: %v", source.flag, name, err)
			}
			r.vars[name] = v
		}
	}
	return r.vars, f.bind(r.vars)
}

// bind limits variables to the hosts of --var-host.
func (f *variableFlags) bind(vars map[string]engine.Variable) error {
	for _, entry := range f.hosts {
		name, host, err := splitEntry("--var-host", "NAME=HOST", entry)
		if err != nil {
			return err
		}
		v, ok := vars[name]
		if !ok {
			return usage("--var-host: %s has no value; give --var-env %s=VARIABLE or --var-file %s=FILE", name, name, name)
		}
		if _, err := policy.ParseHosts([]string{host}); err != nil {
			return usage("--var-host %s: %v", name, err)
		}
		v.Hosts = append(v.Hosts, host)
		vars[name] = v
	}
	return nil
}

// splitEntry splits NAME=… and refuses a name that could not stand between
// percent signs.
func splitEntry(flag, form, entry string) (name, rest string, _ error) {
	name, rest, ok := strings.Cut(entry, "=")
	if !ok || name == "" {
		return "", "", usage("%s: write %s", flag, form)
	}
	if !slices.Equal(engine.Placeholders("%"+name+"%"), []string{name}) {
		return "", "", usage("%s: a name is letters, digits and _, and begins with a letter", flag)
	}
	return name, rest, nil
}

// A variableReader reads the values of variables from where they are.
type variableReader struct {
	in      io.Reader
	inTaken bool
	vars    map[string]engine.Variable
}

func (r *variableReader) literal(_, value string) (string, error) { return value, nil }

func (r *variableReader) environment(flag, variable string) (string, error) {
	value, set := os.LookupEnv(variable)
	if !set {
		return "", usage("%s: the environment has no %s", flag, variable)
	}
	return value, nil
}

// file reads a value without the line end that editors leave.
func (r *variableReader) file(flag, path string) (string, error) {
	in := r.in
	if path == "-" {
		if r.inTaken {
			return "", usage("%s: the standard input can give one value only", flag)
		}
		r.inTaken = true
	} else {
		file, err := os.Open(path)
		if err != nil {
			return "", usage("%s: %v", flag, err)
		}
		defer file.Close() // nothing was written
		in = file
	}
	content, err := io.ReadAll(io.LimitReader(in, mostOfAValue+1))
	switch {
	case err != nil:
		return "", usage("%s: %v", flag, err)
	case len(content) > mostOfAValue:
		return "", usage("%s: %s holds more than %d bytes", flag, path, mostOfAValue)
	}
	return strings.TrimSuffix(strings.TrimSuffix(string(content), "\n"), "\r"), nil
}

// mostOfAValue bounds a value, in bytes.
const mostOfAValue = 64 << 10

// checkPlaceholders refuses a %name% that has no value: it would be typed as it
// stands.
func checkPlaceholders(instructions []string, actions []engine.Action, vars map[string]engine.Variable) error {
	texts := slices.Clone(instructions)
	for _, a := range actions {
		texts = append(texts, a.Arguments...)
	}
	for _, text := range texts {
		for _, name := range engine.Placeholders(text) {
			if _, ok := vars[name]; !ok {
				return usage("%%%s%% has no value; give --var %s=VALUE, --var-env %s=VARIABLE or --var-file %s=FILE", name, name, name, name)
			}
		}
	}
	return nil
}

// variableNames are the names of variables, in order.
func variableNames(vars map[string]engine.Variable) []string { return slices.Sorted(maps.Keys(vars)) }

// keyNames are how variables are called that hold keys.
var keyNames = regexp.MustCompile(`(?i)key|token|secret|passw|credential`)

// keysOf are the values of an environment that must not be in a bundle.
func keysOf(environment []string) []string {
	var keys []string
	for _, variable := range environment {
		name, value, _ := strings.Cut(variable, "=")
		if keyNames.MatchString(name) && len(value) >= 8 {
			keys = append(keys, value)
		}
	}
	return keys
}
