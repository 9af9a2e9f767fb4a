// Command bootstrap runs the relay Lambda.
package main

import (
	"github.com/cashwrap/cashwrap/functions/relay"
	"github.com/cashwrap/cashwrap/shared/app"
)

func main() { app.ServeStream(relay.Record) }
