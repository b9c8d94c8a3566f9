package fake

import "golang.org/x/net/html/atom"

const bodyAtom = atom.Body

func atomOf(name string) atom.Atom { return atom.Lookup([]byte(name)) }
