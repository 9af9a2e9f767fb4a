// Package provision runs operators' commands, in a Lambda without a route that only IAM principals may call. A request
// names a command and has its arguments, and gets the command's answer. infra/README.md, "Merchants and keys", has a
// shell function for it:
//
//	aws lambda invoke --function-name provision --cli-binary-format raw-in-base64-out \
//	    --payload '{"command":"create_merchant","name":"Café","email":"a@b.example","country":"DE","currency":"EUR"}' \
//	    answer.json
//
// Each command also takes "by", the person who gives the command, for the audit. Required arguments come before the
// semicolon:
//
//	create_merchant         name, email, country, currency; sandbox, fee_rate, online_payments, test_key, mail_owner,
//	                        merchant_code, time_zone, refund_floor, payout_plan, shards, requests_per_second,
//	                        onboarding, paypal, account
//	update_merchant         merchant_code; name, email, fee_rate, online_payments, time_zone, refund_floor,
//	                        payout_plan, shards, requests_per_second, onboarding, paypal
//	update_account          merchant_code, account
//	show_account            merchant_code
//	list_audit              merchant_code; from, to, limit, after
//	create_api_key          merchant_code; mode, type, scopes, name
//	revoke_api_key          merchant_code, mode, key_id
//	update_operator         merchant_code, operator_id, app_settings; mode
//	create_oauth_client     merchant_code, name, redirect_uris, scopes; mode
//	update_oauth_client     client_id; name, redirect_uris, scopes
//	approve_oauth_client    client_id, scopes
//	rotate_oauth_secret     client_id; force
//	revoke_oauth_client     client_id
//	show_oauth_client       client_id
//	set_password            merchant_code, email; mode
//	remove_second_factor    merchant_code, email; mode
//	rotate_callback_secret  merchant_code; force
//	show_callback           id
//	replay_callbacks        id, or merchant_code and/or from and to; limit
//	show_mail               id
//	replay_mails            as replay_callbacks
//	pay_voucher             merchant_code, checkout_id
//	set_reader_offline      merchant_code, reader_id, offline; mode
//	charge_back             merchant_code, transaction; mode, id, amount, lost
//	update_settings         merchant_code; mode, payout_period, payout_type, payout_on_demand,
//	                        payout_on_demand_available, gross_settlement, expected_max_transaction_amount,
//	                        tax_enabled, printers_enabled, keep_api_keys, daily_payout_email, monthly_payout_email,
//	                        moto_payment
//	set_payout              merchant_code; mode, holder, iban or account_number and bank_code, bic, held
//	list_bank_accounts      ; merchant_code, mode, limit
//	verify_bank_account     merchant_code, account, outcome; mode
//	run_payouts             ; merchant_code, mode, at, on_demand, id
//	export_payouts          id; holder, iban, bic, currency, day, limit
//	settle_payout           merchant_code, payout, outcome, reason
//	correct_settlement      mode, settlement, currency, id; merchant_code, amount, fee
//
// A wrong request also gets an answer:
//
//	{"error":{"code":"INVALID","param":"country","message":"…"}}
//
// An invocation fails (FunctionError) only because of a fault of the platform. The failure raises an alarm and is in
// the log. Only the answer shows keys and secrets. They cannot be shown again.
package provision

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/cashwrap/cashwrap/shared/app"
	"github.com/cashwrap/cashwrap/shared/audit"
	"github.com/cashwrap/cashwrap/shared/failure"
	"github.com/cashwrap/cashwrap/shared/identity"
	"github.com/cashwrap/cashwrap/shared/money"
	"github.com/cashwrap/cashwrap/shared/validate"
)

// operator runs the commands. Any IAM principal that may invoke the function is an operator.
type operator struct {
	*app.App
	by audit.By // who gave the command
}

// command runs a command on its arguments, in JSON.
type command func(ctx context.Context, arguments json.RawMessage) (any, error)

func (o operator) commands() map[string]command {
	return map[string]command{
		"create_merchant":        typed(o, o.createMerchant),
		"update_merchant":        typed(o, o.updateMerchant),
		"update_account":         typed(o, o.updateAccount),
		"show_account":           typed(o, o.showAccount),
		"list_audit":             typed(o, o.listAudit),
		"create_api_key":         inTenant(o, o.createAPIKey),
		"revoke_api_key":         typed(o, o.revokeAPIKey),
		"update_operator":        inTenant(o, o.updateOperator),
		"create_oauth_client":    inTenant(o, o.createOAuthClient),
		"update_oauth_client":    typed(o, o.updateOAuthClient),
		"approve_oauth_client":   typed(o, o.approveOAuthClient),
		"rotate_oauth_secret":    typed(o, o.rotateOAuthSecret),
		"revoke_oauth_client":    typed(o, o.revokeOAuthClient),
		"show_oauth_client":      typed(o, o.showOAuthClient),
		"set_password":           inTenant(o, o.setPassword),
		"remove_second_factor":   inTenant(o, o.removeSecondFactor),
		"rotate_callback_secret": typed(o, o.rotateCallbackSecret),
		"show_callback":          typed(o, o.showCallback),
		"replay_callbacks":       typed(o, o.replayCallbacks),
		"show_mail":              typed(o, o.showMail),
		"replay_mails":           typed(o, o.replayMails),
		"pay_voucher":            typed(o, o.payVoucher),
		"set_reader_offline":     inTenant(o, o.setReaderOffline),
		"charge_back":            inTenant(o, o.recordChargeback),
		"update_settings":        inTenant(o, o.updateSettings),
		"set_payout":             inTenant(o, o.setPayout),
		"list_bank_accounts":     typed(o, o.listBankAccounts),
		"verify_bank_account":    inTenant(o, o.verifyBankAccount),
		"run_payouts":            typed(o, o.runPayouts),
		"export_payouts":         typed(o, o.exportPayouts),
		"settle_payout":          typed(o, o.settlePayout),
		"correct_settlement":     typed(o, o.correctSettlement),
	}
}

// typed adapts a command with typed arguments, and checks the limits of their fields (package validate).
func typed[Arguments, Answer any](o operator, run func(context.Context, Arguments) (Answer, error)) command {
	return func(ctx context.Context, raw json.RawMessage) (any, error) {
		var arguments Arguments
		if err := decode(raw, &arguments); err != nil {
			return nil, err
		}
		if err := validate.Fields(arguments, o.Now()).First(); err != nil {
			return nil, err
		}
		return run(ctx, arguments)
	}
}

type tenantArguments struct {
	MerchantCode string `json:"merchant_code" validate:"required"`
	Mode         string `json:"mode"` // live or test; by default the mode of the first key
}

func (p tenantArguments) named() tenantArguments { return p }

// inTenant adapts a command about one merchant in one mode, whose arguments embed tenantArguments.
func inTenant[Arguments interface{ named() tenantArguments }, Answer any](o operator,
	run func(context.Context, identity.Tenant, Arguments) (Answer, error)) command {
	return typed(o, func(ctx context.Context, arguments Arguments) (answer Answer, err error) {
		t, err := o.findTenant(ctx, arguments.named().MerchantCode, arguments.named().Mode)
		if err != nil {
			return answer, err
		}
		return run(ctx, t, arguments)
	})
}

// Invoke returns a handler that runs the command named in the request.
func Invoke(a *app.App) func(context.Context, json.RawMessage) (any, error) {
	return func(ctx context.Context, request json.RawMessage) (any, error) {
		name, by, arguments, err := parse(request)
		if err != nil {
			return refusal(err), nil
		}
		commands := operator{a, audit.ByPlatform(
			audit.Actor{Kind: audit.Command, ID: by, Request: app.CallID(ctx)}, name)}.commands()
		run, known := commands[name]
		if !known {
			return refusal(failure.Invalid("command", "must be one of "+
				strings.Join(slices.Sorted(maps.Keys(commands)), ", "))), nil
		}
		answer, err := run(ctx, arguments)
		switch {
		case err == nil:
			return answer, nil
		case failure.Of(err).Kind == failure.KindInternal:
			a.Log.ErrorContext(ctx, "command failed", "command", name, "error", err)
			return nil, errInternal
		default:
			return refusal(err), nil
		}
	}
}

var errInternal = errors.New("INTERNAL_ERROR: the command failed; its cause is in the log")

// parse splits a request into the command's name, the person who gives the command, and the arguments.
func parse(request json.RawMessage) (name, by string, arguments json.RawMessage, err error) {
	var members map[string]json.RawMessage
	if json.Unmarshal(request, &members) != nil {
		return "", "", nil, failure.Malformed("The request must be a JSON object.")
	}
	if members["command"] == nil {
		return "", "", nil, failure.Missing("command")
	}
	if json.Unmarshal(members["command"], &name) != nil {
		return "", "", nil, failure.Invalid("command", "must be a string")
	}
	var giver struct {
		By string `json:"by" validate:"text=255"`
	}
	if json.Unmarshal(request, &giver) != nil {
		return "", "", nil, failure.Invalid("by", "must be a string")
	}
	if err = validate.Forms(giver).First(); err != nil {
		return "", "", nil, err
	}
	delete(members, "command")
	delete(members, "by")
	arguments, err = json.Marshal(members)
	return name, giver.By, arguments, err
}

// decode reads arguments strictly, because a misspelt argument must not be ignored.
func decode(raw json.RawMessage, to any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	err := d.Decode(to)
	var wrongType *json.UnmarshalTypeError
	var own *failure.Error
	switch {
	case err == nil:
		return nil
	case errors.Is(err, money.ErrAmount):
		return failure.Invalid(undecodable(raw, to), "must be an amount, as a number or as text")
	case errors.As(err, &own):
		return failure.Invalid(undecodable(raw, to), own.Message)
	case errors.As(err, &wrongType) && wrongType.Field != "":
		return failure.Invalid(argument(wrongType.Field), fmt.Sprintf("must be a %s, not a %s",
			wrongType.Type, wrongType.Value))
	default:
		if field, unknown := strings.CutPrefix(err.Error(), "json: unknown field "); unknown {
			return failure.Invalid(strings.Trim(field, `"`), "is not an argument of the command")
		}
		return failure.Malformed("The arguments cannot be read.").WithCause(err)
	}
}

func limitOr(limit *int, standard int) int {
	if limit != nil {
		return *limit
	}
	return standard
}

// undecodable returns the first argument that cannot be decoded. It tries each argument alone, because an error of a
// type's UnmarshalJSON does not name the argument.
func undecodable(raw json.RawMessage, to any) string {
	var members map[string]json.RawMessage
	_ = json.Unmarshal(raw, &members) // decode has already found raw to be valid JSON
	for _, name := range slices.Sorted(maps.Keys(members)) {
		alone, _ := json.Marshal(map[string]json.RawMessage{name: members[name]})
		if json.Unmarshal(alone, reflect.New(reflect.TypeOf(to).Elem()).Interface()) != nil {
			return name
		}
	}
	return ""
}

// argument returns a field's path without the names of embedded Go structs, which are not arguments.
func argument(field string) string {
	return strings.Join(slices.DeleteFunc(strings.Split(field, "."), func(name string) bool {
		return name != strings.ToLower(name)
	}), ".")
}

type refused struct {
	Error fault `json:"error"`
}

type fault struct {
	Code    string `json:"code"`
	Param   string `json:"param,omitempty"`
	Message string `json:"message"`
}

func refusal(err error) refused {
	f := failure.Of(err)
	return refused{fault{Code: f.Code, Param: f.Param, Message: f.Message}}
}
