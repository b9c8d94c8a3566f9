package server

import (
	"context"
	"io"

	"github.com/wayfinder-engine/wayfinder/server/internal/keep"
	"github.com/wayfinder-engine/wayfinder/server/internal/profiles"
	"github.com/wayfinder-engine/wayfinder/server/internal/traces"
)

// Kept is what is kept of sessions beyond their end. Its Profiles may be held by the
// program itself, too, for a session of package engine's:
//
//	hold, err := kept.Profiles.Hold(ctx, "", "ann", "the nightly order")
//	session, err := engine.Open(ctx, cdp.Launch{}, &engine.Options{
//		Browser: engine.BrowserOptions{StorageState: hold.State()},
//	})
//	… // hold.Read after a step keeps the storage of pages that are left
//	err = hold.Read(ctx, session.Browser())
//	err = hold.Close(ctx)
type Kept = keep.Kept

// KeepOptions say what is kept, and where.
type KeepOptions = keep.Options

// TraceOptions bound what is kept of traces.
type TraceOptions = traces.Options

// OpenKept opens what is kept, and writes and sweeps it until its Close. ctx bounds the
// reading alone. Nothing stays open after an error.
func OpenKept(ctx context.Context, o KeepOptions) (*Kept, error) { return keep.Open(ctx, o) }

// SealingKeys encrypt what is kept: see [ParseSealingKeys].
type SealingKeys = profiles.Keys

// ParseSealingKeys reads keys, one a line or with commas between them, each 32 random
// bytes in base64 or in hexadecimal digits, as openssl rand -base64 32 writes one. New
// seals are made with the first key; the others open what was sealed before it took its
// place.
func ParseSealingKeys(r io.Reader) (*SealingKeys, error) { return profiles.ParseKeys(r) }
