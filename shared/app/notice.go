package app

import (
	"context"

	"github.com/cashwrap/cashwrap/shared/acquirer"
	"github.com/cashwrap/cashwrap/shared/identity"
)

// SendSandboxNotice sends the platform a signed notice of the sandbox, as a real acquirer does. If the notice is lost,
// polls and the sweep find the outcome.
func (a *App) SendSandboxNotice(ctx context.Context, h acquirer.Hint) error {
	header, body, err := a.Sandbox.NewNotice(h)
	if err != nil {
		return err
	}
	return a.Processing.HandleNotice(ctx, identity.Test, header, body)
}
