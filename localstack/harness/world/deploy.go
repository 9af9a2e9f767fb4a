package world

import (
	"crypto/rand"
	"encoding/base64"
	"maps"
	"time"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/app"
)

func newSecret() string { return base64.StdEncoding.EncodeToString([]byte(rand.Text() + rand.Text())) }

// Rotate deploys a new platform secret, which the platform uses after the given time. New processes know both secrets.
// Running processes know only the old secret.
func (w *World) Rotate(after time.Duration) {
	w.Helper()
	next := maps.Clone(w.environment)
	next["PLATFORM_SECRET_PREVIOUS"], next["PLATFORM_SECRET_PREVIOUS_SINCE"] = next["PLATFORM_SECRET"],
		next["PLATFORM_SECRET_SINCE"]
	next["PLATFORM_SECRET"], next["PLATFORM_SECRET_SINCE"] = newSecret(), w.Clock.Now().Add(after).Format(time.RFC3339)
	w.deploy(next)
}

// EndRotation deploys without the previous secret.
func (w *World) EndRotation() {
	w.Helper()
	next := maps.Clone(w.environment)
	delete(next, "PLATFORM_SECRET_PREVIOUS")
	delete(next, "PLATFORM_SECRET_PREVIOUS_SINCE")
	w.deploy(next)
}

// Set deploys the platform with the variable set to the value.
func (w *World) Set(variable, value string) {
	w.Helper()
	next := maps.Clone(w.environment)
	next[variable] = value
	w.deploy(next)
}

// GoLive deploys the platform with the sandbox's acquirer in live mode. The functions in wraps wrap that acquirer.
func (w *World) GoLive(wraps ...func(acquirer.Acquirer) acquirer.Acquirer) {
	w.Helper()
	w.live = func(a *app.App) acquirer.Acquirer {
		live := acquirer.Acquirer(a.Sandbox)
		for _, wrap := range wraps {
			live = wrap(live)
		}
		return live
	}
	w.deploy(w.environment)
}

// GoLiveWith deploys the platform with the variables, which name live mode's acquirer.
func (w *World) GoLiveWith(variables map[string]string) {
	w.Helper()
	w.live = nil
	next := maps.Clone(w.environment)
	maps.Copy(next, variables)
	w.deploy(next)
}

// LimitHistory deploys the platform with other limits of the history. Zero means the platform's default.
func (w *World) LimitHistory(l app.HistoryLimits) {
	w.Helper()
	w.History = l
	w.deploy(w.environment)
}

// deploy starts a new main process. Running processes keep their environment.
func (w *World) deploy(environment map[string]string) {
	w.Helper()
	w.environment = environment
	w.main = w.Process()
	w.App = w.AppWith()
}
