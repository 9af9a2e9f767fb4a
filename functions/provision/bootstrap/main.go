// Command bootstrap runs the provision Lambda.
package main

import (
	"github.com/cashwrap/cashwrap/functions/provision"
	"github.com/cashwrap/cashwrap/shared/app"
)

func main() { app.ServeInvoke(provision.Invoke, app.PlatformSecret, app.LastingSecret) }
