package oauth

import (
	"context"
	"net/http"

	"github.com/cashwrap/cashwrap/shared/rest"
	"github.com/cashwrap/cashwrap/shared/secret"
	"github.com/cashwrap/cashwrap/shared/signin"
	"github.com/cashwrap/cashwrap/shared/store"
)

// confirmPassword checks the password that was entered for the name (signin.Name.Subject). The
// account is the zero account for an unknown name. Known browsers and addresses have tries of their
// own, so that strangers cannot use them up. When the tries are used up, a mail tells the owners. Every
// name takes the same calls, so that the time does not show which names exist.
// Error: store.ErrWrongPassword. Failure: TooMany.
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

// known names the tries of the known browser or address for the account; "" if neither is known.
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

// remember makes browser and address known to the account after a sign-in, and returns the browser's
// new cookie.
func (f family) remember(ctx context.Context, account signin.Account) (*http.Cookie, error) {
	value := f.knownKey().WithDevice(f.devices.Value(ctx), account, f.store.Now())
	return f.devices.Lasting(value, signin.KnownLasts), f.rememberAddress(ctx, account)
}

// rememberAddress makes the request's address known to the account.
func (f family) rememberAddress(ctx context.Context, account signin.Account) error {
	return f.store.PutKnownAddress(ctx, f.addressID(ctx, account), f.store.Now().Add(signin.KnownLasts))
}

func (f family) addressID(ctx context.Context, account signin.Account) string {
	return f.knownKey().Address(rest.SourceAddress(ctx), account)
}
