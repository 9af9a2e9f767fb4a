// Command bootstrap runs the reconcile Lambda.
package main

import (
	"github.com/cashwrap/cashwrap/functions/reconcile"
	"github.com/cashwrap/cashwrap/shared/app"
	_ "github.com/cashwrap/cashwrap/shared/app/linkstripe" // live mode's acquirer
)

func main() { app.ServeInvoke(reconcile.Invoke, app.AcquirerSecret) }
