// Command bootstrap runs the callbacks Lambda.
package main

import (
	"github.com/cashwrap/cashwrap/functions/callbacks"
	"github.com/cashwrap/cashwrap/shared/app"
)

func main() { app.ServeQueue(callbacks.Deliver, app.PlatformSecret, app.LastingSecret) }
