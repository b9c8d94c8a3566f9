// Package traces records sessions that ask for it, and keeps a trace of each as
// one HTML file: its steps, pictures, prompts and answers. Package trace says what
// is in it. It can be read while the session is open and after its end, until it is
// too old or there are too many.
//
//	kept, err := traces.Open("/var/lib/wayfinder/traces", nil)
//	go kept.Run(ctx)
//	srv, err := server.New(d, &server.Options{Traces: kept, …})
//
// Values of variables are in none, and not what a person does who has taken a
// session; what pages show is. Files are their owner's alone, and encrypted where
// [Options].Sealer is given. Several processes may share the directory.
package traces
