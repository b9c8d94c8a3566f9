package body

// Nodes is what a service is made of, for operators.
type Nodes struct {
	Nodes []Node `json:"nodes"`           // never nil
	Queue *Queue `json:"queue,omitempty"` // nil where there are no runs
}

// A Node is one process of a service.
type Node struct {
	ID       string            `json:"id"`
	Address  string            `json:"address,omitempty"`
	Labels   map[string]string `json:"labels,omitempty"`
	Capacity int               `json:"capacity"` // sessions at most; 0 is no limit
	Sessions int               `json:"sessions"`
	Pressure float64           `json:"pressure"` // of the machine: 0 is idle, 1 takes no more
	Draining bool              `json:"draining"`
	Here     bool              `json:"here"` // it has answered
}

// A Queue is how many runs there are, of all keys.
type Queue struct {
	Waiting int `json:"waiting"`
	Running int `json:"running"`
}
