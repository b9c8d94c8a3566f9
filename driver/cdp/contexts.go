package cdp

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/conn"
)

// worldName is how the developer tools list our world.
const worldName = "wayfinder"

// worldOf returns the execution context of a world in a frame, made if it is
// not there, and the state of the frame that it belongs to: a script that runs
// in it sees that document and no other.
func (p *page) worldOf(ctx context.Context, id driver.FrameID, w driver.World) (int64, frameState, error) {
	p.browser.mu.Lock()
	f, err := p.frameLocked(id)
	if err != nil {
		p.browser.mu.Unlock()
		return 0, frameState{}, err
	}
	state := frameState{f.describe(), f.session}
	c, ok := f.worlds[w]
	p.browser.mu.Unlock()
	switch {
	case ok:
		return c, state, nil
	case w == driver.Main:
		return p.findMain(ctx, state.session, state.ID)
	default:
		return p.makeIsolated(ctx, state.session, state.ID)
	}
}

func (p *page) makeIsolated(ctx context.Context, s *session, id driver.FrameID) (int64, frameState, error) {
	var made struct{ ExecutionContextID int64 }
	var state frameState
	calls, err := s.Start(ctx, conn.Command{
		Method: "Page.createIsolatedWorld",
		Params: map[string]any{"frameId": id, "worldName": worldName, "grantUniveralAccess": true}, // Chrome's spelling
		// The document that the frame shows when the answer comes is the one
		// that the world is in; a moment later it may be another.
		Then: func(result []byte, err error) {
			if err != nil || json.Unmarshal(result, &made) != nil {
				return
			}
			p.browser.mu.Lock()
			defer p.browser.mu.Unlock()
			if f := p.frames[id]; f != nil && f.session == s {
				f.worlds[driver.Isolated] = made.ExecutionContextID
				state = frameState{f.describe(), s}
			}
		}})
	if err != nil {
		return 0, frameState{}, err
	}
	if _, err := calls[0].Wait(ctx); err != nil {
		return 0, frameState{}, err
	}
	if state.session == nil {
		return 0, frameState{}, fmt.Errorf("frame %s: %w", id, driver.ErrDetached)
	}
	return made.ExecutionContextID, state, nil
}

// findMain learns the main worlds of a session's frames. Chrome lists them
// when the Runtime domain is enabled, which is undone at once: a page can
// notice that it is on.
func (p *page) findMain(ctx context.Context, s *session, id driver.FrameID) (int64, frameState, error) {
	if _, err := s.Batch(ctx, conn.Command{Method: "Runtime.enable"}, conn.Command{Method: "Runtime.disable"}); err != nil {
		return 0, frameState{}, err
	}
	p.browser.mu.Lock()
	defer p.browser.mu.Unlock()
	f, err := p.frameLocked(id)
	if err != nil {
		return 0, frameState{}, err
	}
	c, ok := f.worlds[driver.Main]
	if !ok || f.session != s {
		return 0, frameState{}, fmt.Errorf("frame %s has another document now: %w", id, driver.ErrStale)
	}
	return c, frameState{f.describe(), s}, nil
}

type executionContextCreated struct {
	Context struct {
		ID      int64
		AuxData struct {
			IsDefault bool
			FrameID   driver.FrameID
		}
	}
}

func (p *page) executionContextCreated(s *session, e *executionContextCreated) {
	aux := e.Context.AuxData
	if f := p.frames[aux.FrameID]; f != nil && f.session == s && aux.IsDefault {
		f.worlds[driver.Main] = e.Context.ID
	}
}
