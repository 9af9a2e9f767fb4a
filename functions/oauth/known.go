package oauth

import (
	"context"
	"net/http"

	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/secret"
	"github.com/cashwrap/cashwrap/shared/signin"
	"github.com/cashwrap/cashwrap/shared/store"
)

// confirmPassword checks the password that was entered for the name (signin.Name.Subject). The account is the zero
// account for an unknown name. Passwords from a known browser or address take tokens from its own bucket, which
// strangers cannot empty. When that bucket or the name's is empty, a mail tells the owners. Every name takes the same
// calls, so that the duration does not show which names exist. Error: store.ErrWrongPassword. Failure: TooMany.
func (f family) confirmPassword(ctx context.Context, name string, account signin.Account, text secret.Text) error {
	known, err := f.known(ctx, account)
	if err != nil {
		return err
	}
	password := f.store.PasswordFrom(store.Budget{Name: name, Source: rest.SourceAddress(ctx), Known: known}, text)
	err = password.Confirm(ctx, account.Passwords)
	if password.Blocked() {
		if mailErr := f.store.ReportSignIn(ctx, name, account); mailErr != nil {
			f.log.ErrorContext(ctx, "blocked sign-in not reported", "error", mailErr)
		}
	}
	return err
}

// known returns the name of the bucket of the known browser, or else of the known address; "" if neither is known.
func (f family) known(ctx context.Context, account signin.Account) (string, error) {
	address := f.addressID(ctx, account)
	there, err := f.store.KnowsAddress(ctx, address)
	device := f.knownKey().Device(f.devices.Value(ctx), account, f.store.Now())
	switch {
	case err != nil:
		return "", err
	case device != "":
		return "device " + device, nil
	case there:
		return "address " + address, nil
	default:
		return "", nil
	}
}

// remember records after a sign-in that the account knows the browser and the address. It returns the browser's new
// device cookie.
func (f family) remember(ctx context.Context, account signin.Account) (*http.Cookie, error) {
	value := f.knownKey().WithDevice(f.devices.Value(ctx), account, f.store.Now())
	return f.devices.Lasting(value, signin.KnownLasts), f.rememberAddress(ctx, account)
}

// rememberAddress records that the account knows the request's address.
func (f family) rememberAddress(ctx context.Context, account signin.Account) error {
	return f.store.PutKnownAddress(ctx, f.addressID(ctx, account), f.store.Now().Add(signin.KnownLasts))
}

// addressID returns the id under which the account knows the request's address.
func (f family) addressID(ctx context.Context, account signin.Account) string {
	return f.knownKey().Address(rest.SourceAddress(ctx), account)
}
