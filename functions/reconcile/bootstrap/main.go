// Command bootstrap runs the reconcile Lambda.
package main

import (
	"github.com/cashwrap/cashwrap/functions/reconcile"
	"github.com/cashwrap/cashwrap/shared/app"
)

func main() { app.ServeInvoke(reconcile.Invoke) }
