// Command bootstrap runs the sweep Lambda.
package main

import (
	"github.com/cashwrap/cashwrap/functions/sweep"
	"github.com/cashwrap/cashwrap/shared/app"
)

func main() { app.ServeTick(sweep.Tick, app.PlatformSecret, app.LastingSecret) }
