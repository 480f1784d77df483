package crlf

import "os"

// Exit leaves
// at once.
func Exit(code int) {
	if code > 0 {
		os.Exit(code)
	}
}

/* Box
   holds. */
type Box struct {
	Inside string
}
