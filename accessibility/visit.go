package accessibility

// A visitSet holds the items that the computation of one name came by. Few, as a rule.
type visitSet struct {
	list []int32
	more map[int32]struct{}
}

func (v *visitSet) has(i int32) bool {
	for _, x := range v.list {
		if x == i {
			return true
		}
	}
	_, ok := v.more[i]
	return ok
}

func (v *visitSet) add(i int32) {
	if v.has(i) {
		return
	}
	if len(v.list) < 2*maxVisited {
		v.list = append(v.list, i)
		return
	}
	if v.more == nil {
		v.more = map[int32]struct{}{}
	}
	v.more[i] = struct{}{}
}

func (v *visitSet) len() int { return len(v.list) + len(v.more) }

func (b *builder) visits() *visitSet {
	if n := len(b.free); n > 0 {
		v := b.free[n-1]
		b.free = b.free[:n-1]
		return v
	}
	return &visitSet{}
}

func (b *builder) release(v *visitSet) {
	v.list, v.more = v.list[:0], nil
	b.free = append(b.free, v)
}
