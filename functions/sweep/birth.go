package sweep

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/cashwrap/cashwrap/shared/app"
)

// deploymentTime is longer than any deployment. During a deployment functions of the older version, which know no index
// of changes, still write.
const deploymentTime = time.Hour

// birth records once that this version writes the index of changes.
type birth struct{ recorded atomic.Bool }

// record records the birth of the index of changes, unless this process has already done so. After a failure, and while
// the table has no such index, the next tick tries again. Until then changes_since reads the whole history.
func (b *birth) record(ctx context.Context, a *app.App) {
	if b.recorded.Load() {
		return
	}
	recorded, err := a.Store.RecordChangesBirth(ctx, a.Store.Now().Add(deploymentTime))
	if err != nil {
		a.Log.WarnContext(ctx, "birth of the index of changes not recorded", "error", err)
	}
	if err == nil && !recorded {
		a.Log.WarnContext(ctx, "the table has no index of changes yet, or is building it")
	}
	b.recorded.Store(recorded)
}
