// Package server is the HTTP service: through its sessions, many programs
// share the browsers of one machine, as interface 3.1.0 describes.
//
//	handler, err := server.New(fake.Network(), nil)
//	if err != nil {
//		return err
//	}
//	defer handler.Shutdown(ctx)
//	return http.ListenAndServe("127.0.0.1:8080", handler)
//
// A client starts a session, which is one isolated browser, acts in it, and
// ends it:
//
//	POST /v1/sessions/start            {"modelName": "openai/gpt-5"}
//	POST /v1/sessions/{id}/navigate    {"url": "https://shop.example/"}
//	POST /v1/sessions/{id}/act         {"input": "add the teapot to the cart"}
//	POST /v1/sessions/{id}/end
//
// # The contract
//
// openapi.yaml is the one contract. Requests are validated against its
// schemas, which also decide which endpoints there are; it is served at
// /v1/openapi.json; and the tests hold every response against it. The types of
// package server/wire are its schemas in Go.
//
// # Who may do what
//
// The zero [Options] are those of a service that one program on the same
// machine uses: no keys, no limits on money, nothing that would let a client
// choose which program runs here or which file is read. What an operator
// decides stands in Options, and only there.
package server
