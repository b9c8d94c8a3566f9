package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"

	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/server"
)

const deployed = "../../deploy/"

// accept has serve take its arguments and variables, as far as it does before it
// listens, and returns its settings.
func accept(t *testing.T, args []string, variables map[string]string) *pflag.FlagSet {
	t.Helper()
	cmd, rest, err := newRoot(streams{strings.NewReader(""), io.Discard, io.Discard}).Find(args)
	if err != nil || cmd.Name() != "serve" {
		t.Fatalf("%v is no call of serve: %v", args, err)
	}
	for name, value := range variables {
		flag := strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(name, "WAYFINDER_"), "_", "-"))
		if strings.HasPrefix(name, "WAYFINDER_") && cmd.Flags().Lookup(flag) == nil && cmd.InheritedFlags().Lookup(flag) == nil {
			t.Errorf("%s: serve has no flag --%s", name, flag)
		}
		t.Setenv(name, value)
	}
	if err := cmd.ParseFlags(rest); err != nil {
		t.Fatalf("serve %v: %v", rest, err)
	}
	if err := cmd.PreRunE(cmd, nil); err != nil {
		t.Errorf("serve %v with %v: %v", rest, variables, err)
	}
	return cmd.Flags()
}

// enough fails where a grace is too short for the work under way and the browsers'
// end after it.
func enough(t *testing.T, flags *pflag.FlagSet, grace, before time.Duration) {
	t.Helper()
	drain, err := flags.GetDuration("drain")
	if err != nil {
		t.Fatal(err)
	}
	if least := before + drain + 10*time.Second; grace < least {
		t.Errorf("%v are given for the end, which takes up to %v", grace, least)
	}
}

// A workload is a part of a manifest that has pods, as far as this test reads it.
type workload struct {
	Kind     string
	Metadata struct{ Name, Namespace string }
	Spec     struct {
		Replicas             int
		ServiceName          string `yaml:"serviceName"`
		Template             struct{ Spec pod }
		PodTemplate          struct{ Spec pod }                         `yaml:"podTemplate"`
		VolumeClaimTemplates []struct{ Metadata struct{ Name string } } `yaml:"volumeClaimTemplates"`
	}
}

type pod struct {
	Grace      int `yaml:"terminationGracePeriodSeconds"`
	Containers []container
	Volumes    []struct{ Name string }
}

type container struct {
	Args []string
	Env  []struct {
		Name, Value string
		ValueFrom   map[string]any `yaml:"valueFrom"`
	}
	Ports []struct {
		Name string
		Port int `yaml:"containerPort"`
	}
	Startup   *probe `yaml:"startupProbe"`
	Liveness  *probe `yaml:"livenessProbe"`
	Readiness *probe `yaml:"readinessProbe"`
	Lifecycle struct {
		PreStop struct{ Exec struct{ Command []string } } `yaml:"preStop"`
	}
	VolumeMounts []struct {
		Name string
		Path string `yaml:"mountPath"`
	} `yaml:"volumeMounts"`
}

type probe struct {
	HTTPGet struct{ Path, Port string } `yaml:"httpGet"`
}

// TestKubernetes: what the manifests give the command is what it takes, their
// ports and probes are its own, and an end has the time that it needs.
func TestKubernetes(t *testing.T) {
	files, err := filepath.Glob(deployed + "kubernetes/*.yaml")
	if err != nil || len(files) < 3 {
		t.Fatalf("deploy/kubernetes: %v, %v", files, err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		pods := 0
		for all := yaml.NewDecoder(bytes.NewReader(raw)); ; {
			var one workload
			err := all.Decode(&one)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			spec := one.Spec.Template.Spec
			if len(one.Spec.PodTemplate.Spec.Containers) > 0 {
				spec = one.Spec.PodTemplate.Spec
			}
			if len(spec.Containers) == 1 {
				pods++
				t.Run(path.Base(file), func(t *testing.T) { testPod(t, &one, spec) })
			}
		}
		if pods != 1 {
			t.Errorf("%s has %d workloads with a container, want one", file, pods)
		}
	}
}

func testPod(t *testing.T, one *workload, spec pod) {
	c := spec.Containers[0]
	known := map[string]string{"POD_NAME": one.Metadata.Name + "-0", "POD_IP": "10.0.0.7"}
	variables := map[string]string{}
	for _, v := range c.Env {
		switch {
		case v.Name == "WAYFINDER_CLUSTER":
			v.Value = "nats://user:password@nats:4222"
		case v.ValueFrom["secretKeyRef"] != nil:
			v.Value = "a secret"
		}
		for name, value := range known {
			v.Value = strings.ReplaceAll(v.Value, "$("+name+")", value)
		}
		if strings.Contains(v.Value, "$(") {
			t.Errorf("%s=%s: not all of it is known", v.Name, v.Value)
		}
		if known[v.Name] == "" {
			variables[v.Name] = v.Value
		}
	}
	flags := accept(t, c.Args, variables)
	addr, nodeAddr := variables["WAYFINDER_ADDR"], variables["WAYFINDER_NODE_ADDR"]
	for _, p := range c.Ports {
		listens := map[string]string{"http": addr, "records": nodeAddr}[p.Name]
		if !strings.HasSuffix(listens, fmt.Sprint(":", p.Port)) {
			t.Errorf("the port %s is %d, and the command listens at %q", p.Name, p.Port, listens)
		}
	}
	if advertise := variables["WAYFINDER_ADVERTISE"]; advertise != "" && !strings.HasSuffix(advertise, addr[strings.LastIndex(addr, ":"):]) {
		t.Errorf("the others are sent to %s, and it listens at %s", advertise, addr)
	}
	srv, err := server.New(fake.Web{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, p := range map[string]*probe{"startup": c.Startup, "liveness": c.Liveness, "readiness": c.Readiness} {
		if p == nil {
			if name != "startup" || nodeAddr != "" {
				t.Errorf("there is no %s probe", name)
			}
			continue
		}
		answer := httptest.NewRecorder()
		srv.ServeHTTP(answer, httptest.NewRequest("GET", p.HTTPGet.Path, nil))
		if answer.Code != 200 || p.HTTPGet.Port != "http" {
			t.Errorf("the %s probe asks %s at %s: %d", name, p.HTTPGet.Path, p.HTTPGet.Port, answer.Code)
		}
	}
	var before time.Duration
	if sleep := c.Lifecycle.PreStop.Exec.Command; len(sleep) == 2 {
		before, _ = time.ParseDuration(sleep[1] + "s") // 0 is none
	}
	enough(t, flags, time.Duration(spec.Grace)*time.Second, before)
	var volumes, mounted []string
	for _, v := range spec.Volumes {
		volumes = append(volumes, v.Name)
	}
	for _, v := range one.Spec.VolumeClaimTemplates {
		volumes = append(volumes, v.Metadata.Name)
	}
	for _, m := range c.VolumeMounts {
		if !slices.Contains(volumes, m.Name) {
			t.Errorf("no volume is named %s", m.Name)
		}
		mounted = append(mounted, m.Path)
	}
	for _, at := range []string{variables["WAYFINDER_KEYS_FILE"], cmp.Or(variables["WAYFINDER_DATA"], "/tmp/x"), "/dev/shm/x", "/home/wayfinder/x"} {
		if !slices.Contains(mounted, path.Dir(at)) {
			t.Errorf("nothing is mounted for %s: %v", at, mounted)
		}
	}
	if peers := variables["WAYFINDER_PEER"]; peers != "" {
		var want []string
		for i := range one.Spec.Replicas {
			want = append(want, fmt.Sprintf("%s-%d.%s.%s.svc.cluster.local:7101", one.Metadata.Name, i, one.Spec.ServiceName, one.Metadata.Namespace))
		}
		if peers != strings.Join(want, ",") {
			t.Errorf("the peers are %s, and the pods %v", peers, want)
		}
	}
}

// TestCompose: so is what the compose files give it.
func TestCompose(t *testing.T) {
	for _, name := range []string{"compose.yaml", "compose-three.yaml"} {
		raw, err := os.ReadFile(deployed + name)
		if err != nil {
			t.Fatal(err)
		}
		var file struct {
			Services map[string]struct {
				Ports       []string
				Environment map[string]string
				Grace       time.Duration `yaml:"stop_grace_period"`
			}
		}
		if err := yaml.Unmarshal(raw, &file); err != nil || len(file.Services) == 0 {
			t.Fatalf("%s: %v", name, err)
		}
		for service, one := range file.Services {
			t.Run(name+"/"+service, func(t *testing.T) {
				variables := imageVariables(t)
				for name, value := range one.Environment {
					if strings.HasPrefix(value, "${") {
						value = "from the environment"
					}
					variables[name] = value
				}
				enough(t, accept(t, []string{"serve"}, variables), one.Grace, 0)
				for _, p := range one.Ports {
					if !strings.HasSuffix(p, variables["WAYFINDER_ADDR"][strings.LastIndex(variables["WAYFINDER_ADDR"], ":"):]) {
						t.Errorf("the port %s is not that of %s", p, variables["WAYFINDER_ADDR"])
					}
				}
			})
		}
	}
}

// imageVariables are those that the image sets.
func imageVariables(t *testing.T) map[string]string {
	t.Helper()
	raw, err := os.ReadFile(deployed + "Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	variables := map[string]string{}
	for _, m := range regexp.MustCompile(`(WAYFINDER_[A-Z_]+)=(\S+)`).FindAllStringSubmatch(string(raw), -1) {
		variables[m[1]] = m[2]
	}
	_, port, _ := strings.Cut(variables["WAYFINDER_ADDR"], ":")
	for _, line := range []string{"EXPOSE " + port, `CMD ["serve"]`, `CMD ["wayfinder", "health"]`} {
		if !strings.Contains(string(raw), line) {
			t.Errorf("the Dockerfile lacks %s", line)
		}
	}
	return variables
}

// TestUnits: and what systemd starts.
func TestUnits(t *testing.T) {
	raw, err := os.ReadFile(deployed + "wayfinder.service")
	if err != nil {
		t.Fatal(err)
	}
	settings := map[string]string{}
	for line := range strings.Lines(string(raw)) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok {
			settings[name] = value
		}
	}
	file, err := filepath.Abs(deployed + "wayfinder.yaml")
	if err != nil {
		t.Fatal(err)
	}
	start := strings.Replace(settings["ExecStart"], "/etc/wayfinder/wayfinder.yaml", file, 1)
	flags := accept(t, strings.Fields(start)[1:], map[string]string{"WAYFINDER_CLUSTER_SECRET": "a secret"})
	grace, err := time.ParseDuration(settings["TimeoutStopSec"] + "s")
	if err != nil {
		t.Fatal(err)
	}
	enough(t, flags, grace, 0)
	if nodes, err := flags.GetStringSlice("peer"); err != nil || len(nodes) != 3 {
		t.Errorf("%s names %d nodes, want three: %v", file, len(nodes), err)
	}
}
