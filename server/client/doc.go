// Package client calls the HTTP service from Go. Its bodies are those of
// package wire, which the server reads and writes, too.
//
//	c, err := client.New("http://127.0.0.1:8080", nil)
//	s, err := c.Start(ctx, &wire.SessionStart{ModelName: "openai/gpt-5"})
//	defer s.End(context.WithoutCancel(ctx))
//	_, err = s.Navigate(ctx, &wire.NavigateRequest{URL: "https://shop.example/"})
//	act, err := s.Act(ctx, client.Say("add the teapot to the cart"))
//
// Nothing is ever sent twice: a call whose answer was lost may have been
// carried out. Look at the page before you decide to repeat it.
package client
