// Command bootstrap runs the files Lambda.
package main

import (
	"github.com/cashwrap/cashwrap/functions/files"
	"github.com/cashwrap/cashwrap/shared/app"
)

func main() { app.ServeRoutesAndQueue(files.Routes, files.Consume, app.PlatformSecret) }
