package server

import (
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

// agentExecute holds a task against its schema. There is no agent here yet.
func (s *Server) agentExecute(c *call) error {
	req, err := read[wire.AgentExecuteRequest](c)
	if err != nil {
		return err
	}
	if _, err := wantsStream(c.r, req.StreamResponse); err != nil {
		return err
	}
	for name, model := range map[string]wire.Model{"model": req.AgentConfig.Model, "executionModel": req.AgentConfig.ExecutionModel} {
		if model == nil {
			continue
		}
		if _, err := s.modelConfig(model); err != nil {
			return invalidDocument(err, "agentConfig", name)
		}
	}
	if _, err := c.session.page(req.FrameID); err != nil {
		return err
	}
	return newFault(wire.NotImplemented, "this server has no agent yet; act, observe and extract are there")
}
