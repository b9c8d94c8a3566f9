package trace

import (
	"fmt"
)

func place(url string, line int) string {
	if url == "" || line == 0 {
		return url
	}
	return fmt.Sprintf("%s:%d", url, line)
}
