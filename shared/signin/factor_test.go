package signin

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/pquerna/otp"
	"github.com/pquerna/otp/hotp"

	"github.com/cashwrap/cashwrap/shared/secret"
)

var (
	ada = FactorKey("the platform's key").Of("ada")
	now = time.Date(2026, 11, 23, 12, 0, 10, 0, time.UTC)
)

// atStep returns the time n time steps from now.
func atStep(n int) time.Time { return now.Add(time.Duration(n) * period * time.Second) }

// codeAt returns the code that the app shows at a time.
func codeAt(t *testing.T, s Secrets, enrolment string, at time.Time) secret.Text {
	t.Helper()
	text, err := hotp.GenerateCodeCustom(s.App(enrolment), uint64(at.Unix()/period), totpCodes)
	if err != nil {
		t.Fatal(err)
	}
	return secret.New(text)
}

// confirmedFactor returns a factor that the session "first" turned on.
func confirmedFactor(t *testing.T) Factor {
	t.Helper()
	f, err := Factor{}.Confirm(ada, "first", Code{codeAt(t, ada, Factor{}.Begins("first"), now), now}, now)
	if err != nil {
		t.Fatal(err)
	}
	f.Version = 1 // version 1, as if stored
	return f
}

// TestSecrets_RFC6238Vectors uses the test vectors of RFC 6238, appendix B. The vectors have eight digits. Our codes
// are their last six digits.
func TestSecrets_RFC6238Vectors(t *testing.T) {
	t.Parallel()
	shared := inBase32.EncodeToString([]byte("12345678901234567890"))
	long := hotp.ValidateOpts{Digits: otp.DigitsEight, Algorithm: otp.AlgorithmSHA1}
	for seconds, want := range map[int64]string{59: "94287082", 1111111109: "07081804", 1111111111: "14050471",
		1234567890: "89005924", 2000000000: "69279037", 20000000000: "65353130"} {
		step := uint64(seconds / period)
		eight, longErr := hotp.GenerateCodeCustom(shared, step, long)
		six, err := hotp.GenerateCodeCustom(shared, step, totpCodes)
		if eight != want || six != want[2:] || err != nil || longErr != nil {
			t.Errorf("%d: got %s and %s, errors %v, %v, want %s and its last six", seconds, eight, six, longErr, err, want)
		}
	}
}

func TestFactor_NeighbouringStep(t *testing.T) {
	t.Parallel()
	for from, want := range map[int]error{-3: ErrWrongCode, -2: ErrWrongCode, -1: nil, 0: nil, 1: nil, 2: ErrWrongCode,
		3: ErrWrongCode} {
		f := confirmedFactor(t)
		at := atStep(100)
		got, err := f.Use(ada, Code{codeAt(t, ada, f.Enrolment, at.Add(time.Duration(from)*period*time.Second)), at}, "")
		wanted := f
		if want == nil {
			wanted.LastStep = at.Unix()/period + int64(from)
		} else {
			wanted.Wrong = 1
		}
		if diff := cmp.Diff(wanted, got); !errors.Is(err, want) || diff != "" {
			t.Errorf("%d steps: got %v, want %v; factor (-want +got):\n%s", from, err, want, diff)
		}
	}
}

// TestFactor_CodeTwice checks that neither a used code nor an earlier one is accepted again (RFC 6238 §5.2). The code
// that confirmed the factor counts as used.
func TestFactor_CodeTwice(t *testing.T) {
	t.Parallel()
	f := confirmedFactor(t)
	for _, c := range []struct {
		of, at int
		want   error
	}{{0, 0, ErrWrongCode}, {0, 1, ErrWrongCode}, {1, 1, nil}, {1, 1, ErrWrongCode}, {0, 1, ErrWrongCode}, {2, 1, nil},
		{1, 2, ErrWrongCode}, {2, 2, ErrWrongCode}, {3, 3, nil}} {
		var err error
		f, err = f.Use(ada, Code{codeAt(t, ada, f.Enrolment, atStep(c.of)), atStep(c.at)}, "")
		if !errors.Is(err, c.want) || f.Wrong != 0 { // a used code is not a guess
			t.Errorf("step %d at %d: got %v and %d wrong codes, want %v and none", c.of, c.at, err, f.Wrong, c.want)
		}
	}
}

// TestFactor_TwentyWrongCodes checks that after twenty wrong codes under one password only recovery codes are accepted.
func TestFactor_TwentyWrongCodes(t *testing.T) {
	t.Parallel()
	f, warned := confirmedFactor(t), 0
	use := func(code secret.Text, password string) (err error) {
		before := f
		f, err = f.Use(ada, Code{code, atStep(9)}, password)
		if f.Warns(before) {
			warned++
		}
		return err
	}
	guess, right, recovery := secret.New("no code"), codeAt(t, ada, f.Enrolment, atStep(9)), ada.Recovery(f.Recovery.ID)
	for range MaxWrong {
		if err := use(guess, "hers"); !errors.Is(err, ErrWrongCode) {
			t.Fatalf("got %v, want %v", err, ErrWrongCode)
		}
	}
	blocked := f
	for what, code := range map[string]secret.Text{"a guess": guess, "the app's": right} {
		if err := use(code, "hers"); !errors.Is(err, ErrManyCodes) || !cmp.Equal(blocked, f) {
			t.Errorf("%s: got %v and %+v, want %v and nothing changed", what, err, f, ErrManyCodes)
		}
	}
	if err := use(right, "another"); err != nil || f.Wrong != 0 {
		t.Errorf("another password: got %v, want the code accepted", err)
	}
	f = blocked
	if err := use(guess, "another"); !errors.Is(err, ErrWrongCode) || f.Wrong != 1 {
		t.Errorf("another password: got %v and %d wrong codes, want %v and one", err, f.Wrong, ErrWrongCode)
	}
	f = blocked
	if err := use(secret.New(recovery[0]), "hers"); err != nil || f.Wrong != 0 {
		t.Errorf("recovery: got %v and %d wrong codes, want none", err, f.Wrong)
	}
	if err := use(secret.New(recovery[0]), "hers"); !errors.Is(err, ErrWrongCode) || f.Wrong != 0 {
		t.Errorf("recovery again: got %v and %d wrong codes, want %v and none", err, f.Wrong, ErrWrongCode)
	}
	if warned != 1 {
		t.Errorf("got %d warnings, want one", warned)
	}
}

func TestFactor_RecoveryCodeTwice(t *testing.T) {
	t.Parallel()
	f := confirmedFactor(t)
	all := ada.Recovery(f.Recovery.ID)
	use := func(text string) (err error) {
		f, err = f.Use(ada, Code{secret.New(text), atStep(50)}, "")
		return err
	}
	for i, c := range []struct {
		text string
		want error
		left int
	}{
		{all[3], nil, 9},
		{all[3], ErrWrongCode, 9},
		{strings.ToUpper(all[3]), ErrWrongCode, 9},
		{" " + strings.ToUpper(strings.ReplaceAll(all[0], "-", " ")), nil, 8},
		{strings.ReplaceAll(all[9], "-", ""), nil, 7},
		{all[1][:18], ErrWrongCode, 7},
		{"", ErrWrongCode, 7},
		{"-", ErrWrongCode, 7},
	} {
		if err := use(c.text); !errors.Is(err, c.want) || f.Left() != c.left {
			t.Errorf("%d: got %v and %d left, want %v and %d", i, err, f.Left(), c.want, c.left)
		}
	}
	if diff := cmp.Diff([]int{0, 3, 9}, f.Recovery.Used); diff != "" {
		t.Errorf("used (-want +got):\n%s", diff)
	}
	for i, text := range all {
		if err := use(text); (err == nil) == slices.Contains([]int{0, 3, 9}, i) {
			t.Errorf("code %d: got %v", i, err)
		}
	}
	if f.Left() != 0 {
		t.Errorf("got %d left, want none", f.Left())
	}
}

func TestFactor_WithNewCodes(t *testing.T) {
	t.Parallel()
	before := confirmedFactor(t)
	old := secret.New(ada.Recovery(before.Recovery.ID)[0])
	f := before.WithNewCodes("second", atStep(9))
	if _, err := f.Use(ada, Code{old, atStep(9)}, ""); !errors.Is(err, ErrWrongCode) {
		t.Errorf("an old code: got %v, want %v", err, ErrWrongCode)
	}
	if _, err := f.Use(ada, Code{secret.New(ada.Recovery(f.Recovery.ID)[0]), atStep(9)}, ""); err != nil {
		t.Errorf("a new code: got %v", err)
	}
	if _, err := f.Use(ada, Code{codeAt(t, ada, f.Enrolment, atStep(9)), atStep(9)}, ""); err != nil {
		t.Errorf("the app's: got %v, want it unchanged", err)
	}
}

func TestFactor_Confirm(t *testing.T) {
	t.Parallel()
	on, bob := confirmedFactor(t), FactorKey("the platform's key").Of("bob")
	begun := Factor{}.Begins("first")
	code := codeAt(t, ada, begun, now)
	off := on.Off()
	for name, c := range map[string]struct {
		factor  Factor
		of      Secrets
		session string
		code    secret.Text
		want    error
	}{
		"right":                     {Factor{}, ada, "first", code, nil},
		"of another session":        {Factor{}, ada, "second", code, ErrWrongCode},
		"of another account":        {Factor{}, bob, "first", code, ErrWrongCode},
		"of another key":            {Factor{}, FactorKey("another").Of("ada"), "first", code, ErrWrongCode},
		"wrong":                     {Factor{}, ada, "first", secret.New("000000"), ErrWrongCode},
		"empty":                     {Factor{}, ada, "first", secret.Text{}, ErrWrongCode},
		"a recovery code":           {Factor{}, ada, "first", secret.New(ada.Recovery(begun)[0]), ErrWrongCode},
		"again, in the session":     {on, ada, "first", code, nil},
		"on, in another session":    {on, ada, "second", codeAt(t, ada, on.Begins("second"), now), ErrConfirmed},
		"off again, the old secret": {off, ada, "first", code, ErrWrongCode},
		"off again, the new one":    {off, ada, "first", codeAt(t, ada, off.Begins("first"), now), nil},
	} {
		got, err := c.factor.Confirm(c.of, c.session, Code{c.code, now}, now)
		if !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", name, err, c.want)
		}
		if c.want != nil {
			if diff := cmp.Diff(c.factor, got); diff != "" {
				t.Errorf("%s: it changes (-want +got):\n%s", name, diff)
			}
		} else if !got.Confirmed() || c.factor.Confirmed() && !cmp.Equal(c.factor, got) {
			t.Errorf("%s: got %+v", name, got)
		}
	}
}

func TestFactor_UseWhenOff(t *testing.T) {
	t.Parallel()
	f := confirmedFactor(t)
	off := f.Off()
	if diff := cmp.Diff(Factor{Version: 1}, off); diff != "" {
		t.Errorf("off (-want +got):\n%s", diff)
	}
	for _, code := range []secret.Text{codeAt(t, ada, "", now), codeAt(t, ada, f.Enrolment, atStep(5)),
		secret.New(ada.Recovery(f.Recovery.ID)[0]), secret.New(ada.Recovery("")[0])} {
		if _, err := off.Use(ada, Code{code, atStep(5)}, ""); !errors.Is(err, ErrWrongCode) {
			t.Errorf("got %v, want %v", err, ErrWrongCode)
		}
	}
}

func TestFactor_ShowsCodes(t *testing.T) {
	t.Parallel()
	on := confirmedFactor(t)
	for name, c := range map[string]struct {
		factor  Factor
		session string
		after   time.Duration
		want    bool
	}{
		"at once":                     {on, "first", 0, true},
		"to the end":                  {on, "first", CodesShown - 1, true},
		"after it":                    {on, "first", CodesShown, false},
		"in another session":          {on, "second", 0, false},
		"in no session, none is made": {Factor{}, "", 0, false},
		"off":                         {on.Off(), "first", 0, false},
		"the new ones, elsewhere":     {on.WithNewCodes("second", now), "first", 0, false},
		"the new ones, there":         {on.WithNewCodes("second", now), "second", 0, true},
	} {
		if got := c.factor.ShowsCodes(c.session, now.Add(c.after)); got != c.want {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
}

// TestSecrets_Distinct checks that two people or two enrolments never share a secret.
func TestSecrets_Distinct(t *testing.T) {
	t.Parallel()
	form := regexp.MustCompile(`^[a-z2-7]{4}(-[a-z2-7]{4}){3}$`)
	seen := map[string]string{}
	for _, user := range []string{"ada", "bob"} {
		for _, id := range []string{"1", "2"} {
			s := FactorKey("key").Of(user)
			if app := s.App(id); len(app) != 32 {
				t.Errorf("got a secret of %d characters, want 160 bits", len(app))
			}
			recovery := s.Recovery(id)
			if len(recovery) != RecoveryCodes {
				t.Errorf("got %d recovery codes, want %d", len(recovery), RecoveryCodes)
			}
			for i, text := range append(recovery, s.App(id)) {
				name := fmt.Sprint(user, " ", id, " ", i)
				if seen[text] != "" || i < RecoveryCodes && !form.MatchString(text) {
					t.Errorf("%s: got %s, as %s", name, text, seen[text])
				}
				seen[text] = name
			}
		}
	}
}

func TestSecrets_AppLink(t *testing.T) {
	t.Parallel()
	link, err := ada.AppLink("1", "Cashwrap", "ada@example.com")
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(link)
	if err != nil {
		t.Fatal(err)
	}
	want := url.Values{"secret": {ada.App("1")}, "issuer": {"Cashwrap"}, "algorithm": {"SHA1"}, "digits": {"6"},
		"period": {"30"}}
	if diff := cmp.Diff(want, u.Query()); diff != "" || u.Scheme != "otpauth" || u.Host != "totp" ||
		u.Path != "/Cashwrap:ada@example.com" {
		t.Errorf("got %s, (-want +got):\n%s", link, diff)
	}
	if _, err := ada.AppLink("1", "Cashwrap", ""); err == nil {
		t.Error("without a name: got no error")
	}
}
