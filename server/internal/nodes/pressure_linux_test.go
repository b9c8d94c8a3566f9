package nodes

import (
	"math"
	"testing"
	"testing/fstest"
)

// TestPressure: memory that runs out takes all, processors never do; what belongs
// to the service is read before what is the machine's.
func TestPressure(t *testing.T) {
	some := func(avg10 string) string {
		return "some avg10=" + avg10 + " avg60=99.00 avg300=99.00 total=13356816141\nfull avg10=99.00 avg60=0.00 avg300=0.00 total=0\n"
	}
	memory := func(available string) string {
		return "MemTotal:       1000 kB\nMemFree:          10 kB\nMemAvailable:    " + available + " kB\n"
	}
	for name, c := range map[string]struct {
		files map[string]string
		want  float64
	}{
		"nothing is known":         {nil, 0},
		"idle":                     {map[string]string{"proc/meminfo": memory("900"), "proc/pressure/cpu": some("3.00")}, 0},
		"memory":                   {map[string]string{"proc/meminfo": memory("125"), "proc/pressure/cpu": some("0.00")}, 0.5},
		"no memory":                {map[string]string{"proc/meminfo": memory("40")}, 1.067},
		"processors":               {map[string]string{"proc/meminfo": memory("900"), "proc/pressure/cpu": some("50.00")}, 0.495},
		"processors before memory": {map[string]string{"proc/meminfo": memory("170"), "proc/pressure/cpu": some("50.00")}, 0.495},
		"no processor":             {map[string]string{"proc/pressure/cpu": some("100.00")}, 0.99},
		"a container": {map[string]string{
			"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.pressure": some("50.00"), "proc/pressure/cpu": some("100.00"),
		}, 0.495},
		"a service": {map[string]string{
			"proc/self/cgroup": "0::/system.slice/wayfinder.service\n", "sys/fs/cgroup/cpu.pressure": some("100.00"),
			"sys/fs/cgroup/system.slice/wayfinder.service/cpu.pressure": some("50.00"),
		}, 0.495},
		"control groups of version 1": {map[string]string{"proc/self/cgroup": "1:cpu:/a\n0::/b\n", "proc/pressure/cpu": some("50.00")}, 0.495},
		"load":                        {map[string]string{"proc/loadavg": "8.00 8.14 14.94 4/412 18544\n"}, 0.495},
		"less load than processors":   {map[string]string{"proc/loadavg": "3.50 8.14 14.94 4/412 18544\n", "proc/pressure/cpu": ""}, 0},
		"no numbers":                  {map[string]string{"proc/meminfo": memory("NaN"), "proc/pressure/cpu": some("NaN"), "proc/loadavg": "many"}, 1.333},
	} {
		machine := fstest.MapFS{}
		for file, text := range c.files {
			machine[file] = &fstest.MapFile{Data: []byte(text)}
		}
		if got := pressureOf(machine, 4); math.Abs(got-c.want) > 0.001 {
			t.Errorf("%s: pressureOf = %.3f, want %.3f", name, got, c.want)
		}
	}
	if got := pressure(); got < 0 {
		t.Errorf("pressure = %v of this machine", got)
	}
}
