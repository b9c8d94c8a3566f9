package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// newHealthCommand is what a container's health check runs.
func newHealthCommand(s *settings) *cobra.Command {
	addr := "127.0.0.1:8080"
	if set := os.Getenv(variableOf("addr")); set != "" {
		addr = set
	}
	cmd := &cobra.Command{
		Use:   "health",
		Short: "Ask a service on this machine whether it is ready",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			// What listens at every address is asked at this machine's own.
			host := strings.NewReplacer("0.0.0.0:", "127.0.0.1:", "[::]:", "[::1]:").Replace(addr)
			if strings.HasPrefix(host, ":") {
				host = "127.0.0.1" + host
			}
			client := http.Client{Timeout: min(s.timeout, 3*time.Second)}
			response, err := client.Get("http://" + host + "/readyz")
			if err != nil {
				return missing(fmt.Errorf("nothing answers: %w", err))
			}
			defer response.Body.Close()
			body, err := io.ReadAll(io.LimitReader(response.Body, 1<<10))
			if err != nil {
				return missing(err)
			}
			fmt.Fprintf(s.out, "%s\n", strings.TrimSpace(string(body)))
			if response.StatusCode != http.StatusOK {
				return missing(fmt.Errorf("it is not ready: %s", response.Status))
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&addr, "addr", addr, "where it listens")
	return cmd
}
