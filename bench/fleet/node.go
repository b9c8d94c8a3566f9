package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/fleet/jetstream"
	"github.com/wayfinder-engine/wayfinder/internal/errand"
	"github.com/wayfinder-engine/wayfinder/internal/fleet"
	"github.com/wayfinder-engine/wayfinder/server"
	"github.com/wayfinder-engine/wayfinder/server/runs"
)

// A process is one node, as its environment says.
type process struct {
	Name  string
	HTTP  string // host:port
	Route string // host:port of its records
	Peers []string
	Think time.Duration // of the model, for each answer
	Runs  int           // at work at once
	Term  time.Duration // of a run's claim

	Tenant *tenant `json:",omitempty"` // that it is instead
}

const (
	processVariable = "WAYFINDER_FLEET_PROCESS"
	key             = "bench"
	secret          = "between the nodes"
)

// be is the node, until SIGTERM.
func (p *process) be() error {
	if p.Tenant != nil {
		return p.Tenant.be()
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError + 1}))
	store, err := jetstream.Open(ctx, &jetstream.Options{Logger: log, Cluster: &jetstream.Cluster{Name: p.Name, Listen: p.Route, Peers: p.Peers, Secret: secret}})
	if err != nil {
		return err
	}
	defer store.Close()
	r, err := runs.New(ctx, store, &runs.Options{Workers: p.Runs, Term: p.Term, Waiting: 10_000, Logger: log})
	if err != nil {
		return err
	}
	defer r.Close()
	node, err := server.JoinNode(ctx, store, &server.NodeOptions{Name: p.Name, Address: p.HTTP, Secret: secret, Capacity: 4000, Pressure: func() float64 { return 0 }, Logger: log})
	if err != nil {
		return err
	}
	srv, err := server.New(fake.Network(), &server.Options{
		Parts: server.Parts{Runs: r, Node: node}, Models: server.Models{Default: &errand.Model{Think: p.Think}}, Browsers: server.Browsers{Policy: &engine.Policy{Private: []string{"*"}}},
		Limits: server.Limits{Sessions: 4000, StartQueue: -1}, Keys: []server.Key{server.NewKey("bench", key)}, Logger: log,
	})
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", p.HTTP)
	if err != nil {
		return err
	}
	placer, err := fleet.NewPlacer(ctx, store, nil)
	if err != nil {
		return err
	}
	defer placer.Close()
	routes := http.NewServeMux()
	routes.Handle("/", srv)
	routes.HandleFunc("POST /bench/place", func(w http.ResponseWriter, req *http.Request) { place(w, req, placer) })
	routes.HandleFunc("GET /bench/leader", func(w http.ResponseWriter, req *http.Request) {
		leader, err := store.Leader(req.Context())
		if err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		fmt.Fprint(w, leader)
	})
	routes.HandleFunc("GET /bench/cpu", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, int64(cpuTime())) })
	routes.HandleFunc("GET /bench/profile", pprof.Profile)
	h := &http.Server{Handler: routes, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug)}
	var all sync.WaitGroup
	all.Go(func() { _ = h.Serve(listener) }) // it ends by Shutdown
	keeping, leave := context.WithCancel(context.Background())
	var kept sync.WaitGroup
	kept.Go(func() { srv.KeepNode(keeping) })
	worked := make(chan struct{})
	go func() { defer close(worked); r.Work(ctx, srv) }()
	fmt.Println("ready")
	<-ctx.Done()
	bounded, cancel := context.WithTimeout(keeping, 10*time.Second)
	defer cancel()
	node.Drain(bounded)
	_ = srv.Shutdown(bounded) // what is left is cut short
	<-worked
	_ = h.Shutdown(bounded) // the process ends with it
	all.Wait()
	leave()
	kept.Wait()
	node.Close(bounded)
	return nil
}

// place places sessions and nothing else, and tells how long it took.
func place(w http.ResponseWriter, req *http.Request, placer *fleet.Placer) {
	const sessions, together = 3000, 32
	ids := make(chan fleet.SessionID, sessions)
	for i := range sessions {
		ids <- fleet.SessionID(fmt.Sprintf("place-%d-%d", time.Now().UnixNano(), i))
	}
	close(ids)
	var all sync.WaitGroup
	var mu sync.Mutex
	failed := 0
	begun := time.Now()
	for range together {
		all.Go(func() {
			var owned []fleet.Owner
			defer func() {
				for _, o := range owned {
					_ = placer.Release(context.WithoutCancel(req.Context()), o) // the node ends after this
				}
			}()
			for id := range ids {
				o, err := placer.Place(req.Context(), fleet.Placement{Session: id})
				if err == nil {
					owned = append(owned, o)
					continue
				}
				mu.Lock()
				failed++
				mu.Unlock()
			}
			mu.Lock() // when the last one is placed, and before they are released
			took := time.Since(begun)
			if len(ids) == 0 && w.Header().Get("took") == "" {
				w.Header().Set("took", took.String())
			}
			mu.Unlock()
		})
	}
	all.Wait()
	took, _ := time.ParseDuration(w.Header().Get("took"))
	_ = json.NewEncoder(w).Encode(map[string]any{"persecond": float64(sessions-failed) / took.Seconds(), "failed": failed}) // who has gone reads nothing
}
