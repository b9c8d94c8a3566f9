package faults

import (
	"context"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/internal/passthrough"
)

// A glancer is a page whose glances a fault may strike, too.
type glancer struct {
	*passthrough.Page
	inner driver.Glancer
}

var _ driver.Glancer = (*glancer)(nil)

func (g *glancer) Glance(ctx context.Context, at driver.GlanceOptions) (*driver.Glance, error) {
	return g.glance(ctx, "glance", at.Node, func() (*driver.Glance, error) { return g.inner.Glance(ctx, at) })
}

func (g *glancer) GlanceAfter(ctx context.Context, node driver.NodeRef) (*driver.Glance, error) {
	return g.glance(ctx, "glanceafter", node, func() (*driver.Glance, error) { return g.inner.GlanceAfter(ctx, node) })
}

func (g *glancer) glance(ctx context.Context, op string, node driver.NodeRef, do func() (*driver.Glance, error)) (*driver.Glance, error) {
	answer, err := g.Around(ctx, passthrough.Call{Op: op, Page: g.Page.Page, Node: node}, func() (any, error) { return do() })
	seen, _ := answer.(*driver.Glance)
	return seen, err
}

func (g *glancer) Disarm() { g.inner.Disarm() }

func (g *glancer) Described(ctx context.Context, node driver.NodeRef) (role, name string, err error) {
	_, err = g.Around(ctx, passthrough.Call{Op: "described", Page: g.Page.Page, Node: node}, func() (_ any, err error) {
		role, name, err = g.inner.Described(ctx, node)
		return nil, err
	})
	if err != nil {
		role, name = "", ""
	}
	return role, name, err
}
