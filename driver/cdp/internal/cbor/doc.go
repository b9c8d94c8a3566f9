// Package cbor translates between JSON and the CBOR of Chrome's DevTools protocol,
// which is a part of RFC 8949: maps and arrays of unknown length, each in an
// envelope (a byte string that holds it), whole numbers of 32 bits, floats of 64,
// strings in UTF-8 or in UTF-16, and bytes that are base64 in JSON.
//
// Chrome's processes speak it among themselves. To have Chrome write JSON costs the
// browser's process a quarter of what a page's process takes for a large snapshot,
// one after the other.
package cbor
