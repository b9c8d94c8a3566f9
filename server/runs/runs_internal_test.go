package runs

import "github.com/wayfinder-engine/wayfinder/fleet"

// Queue shows the tests a run's job.
func (r *Runs) Queue() *fleet.Queue { return r.queue }
