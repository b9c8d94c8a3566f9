package grounding

import (
	"math/bits"
)

// settle gives each object its home. scope is that of the nearest item of a
// list, or the page.
func (c *checker) settle(v *value, scope *home) {
	switch {
	case v.list:
		c.settleList(v, scope)
	case v.object:
		if v.home == nil {
			v.home = c.choose(v, scope)
		}
		for _, k := range v.kids {
			switch {
			case k.list:
				c.settle(k, scope)
			case k.object:
				k.home = c.choose(k, scope)
				c.settle(k, scope)
			}
		}
	default:
		v.home = scope
	}
}

// claims collects the leaves that show where an object stands: those of lists
// of objects have homes of their own.
func claims(v *value, out []*value) []*value {
	for _, k := range v.kids {
		switch {
		case k.leaf():
			if k.raw == nil {
				continue
			}
			if _, ok := k.raw.(bool); !ok {
				out = append(out, k)
			}
		case k.object:
			out = claims(k, out)
		case k.list && len(k.kids) > 0 && k.kids[0].leaf():
			out = claims(k, out)
		}
	}
	return out
}

// choose gives a single object its home.
func (c *checker) choose(v *value, scope *home) *home {
	leaves := claims(v, nil)
	if len(leaves) == 0 {
		return scope
	}
	list := c.candidates(leaves, scope, nil)
	if len(list) == 0 || list[0].record == scope.record {
		return scope
	}
	if len(leaves) > 1 && bits.OnesCount64(list[0].mask) < 2 { // one leaf decides nothing
		return scope
	}
	return c.homeOf(list[0].record)
}

// settleList gives each object of a list a record of its own.
func (c *checker) settleList(v *value, scope *home) {
	var items []*value
	for _, k := range v.kids {
		if k.object {
			items = append(items, k)
		} else {
			c.settle(k, scope)
		}
	}
	if len(items) == 0 {
		return
	}
	if len(items) > 1 {
		c.assign(items, scope)
	} else {
		items[0].home = c.choose(items[0], scope)
	}
	for _, k := range items {
		inner := k.home
		if inner == nil {
			inner = scope
		}
		for _, kk := range k.kids {
			switch {
			case kk.object:
				kk.home = c.choose(kk, inner)
				c.settle(kk, inner)
			case kk.list:
				c.settle(kk, inner)
			}
		}
	}
}
