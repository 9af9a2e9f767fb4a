// Package storedtest fills every field of stored types (Fill), and checks that reads return each stored attribute
// (RoundTrip).
package storedtest

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/cashwrap/cashwrap/localstack/platform/clock"
	"github.com/cashwrap/cashwrap/shared/money"
)

// Filler creates values whose fields are all set. Each field gets a value that the Filler has not used before.
type Filler struct{ n int }

// Fill returns a T with each field set. It calls the functions in set on the value. If a field is still zero, or a
// field's type is unknown, Fill fails the test.
func Fill[T any](tb testing.TB, f *Filler, set ...func(*T)) T {
	tb.Helper()
	var value T
	v := reflect.ValueOf(&value).Elem()
	if err := f.fill(v, v.Type().Name()); err != nil {
		tb.Fatal(err)
	}
	for _, s := range set {
		s(&value)
	}
	if unset := zeros(v, v.Type().Name()); len(unset) > 0 {
		tb.Fatalf("not set: %s", strings.Join(unset, ", "))
	}
	return value
}

func (f *Filler) fill(v reflect.Value, path string) error {
	f.n++
	switch v.Addr().Interface().(type) {
	case *money.Amount:
		v.Set(reflect.ValueOf(money.MustParse(fmt.Sprintf("%d.%02d", f.n, f.n%100), "EUR")))
		return nil
	case *money.Decimal:
		v.SetString(fmt.Sprintf("0.%04d", f.n))
		return nil
	case *money.Currency:
		v.SetString("EUR")
		return nil
	case *time.Time: // with nanoseconds
		v.Set(reflect.ValueOf(clock.Start.Add(time.Duration(f.n) * (time.Hour + time.Nanosecond))))
		return nil
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprintf("%s %d", path, f.n))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(int64(f.n))
	case reflect.Uint8:
		v.SetUint(uint64(f.n%255) + 1)
	case reflect.Float64:
		v.SetFloat(float64(f.n) + 0.5)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		return f.fill(v.Elem(), path)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range v.Len() {
			if err := f.fill(v.Index(i), fmt.Sprintf("%s[%d]", path, i)); err != nil {
				return err
			}
		}
	case reflect.Map: // gets one entry
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		if err := errors.Join(f.fill(key, path), f.fill(value, path)); err != nil {
			return err
		}
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.Struct:
		return f.fillFields(v, path)
	default:
		return fmt.Errorf("%s is a %s, which cannot be filled", path, v.Type())
	}
	return nil
}

func (f *Filler) fillFields(v reflect.Value, path string) error {
	for i := range v.NumField() {
		field := v.Type().Field(i)
		set := f.fill
		if field.Anonymous && v.Field(i).Kind() == reflect.Struct && !field.IsExported() {
			set = f.fillFields // the struct cannot be set, but its fields can
		} else if !field.IsExported() {
			return fmt.Errorf("%s.%s cannot be set", path, field.Name)
		}
		if err := set(v.Field(i), path+"."+field.Name); err != nil {
			return err
		}
	}
	return nil
}

// zeros returns the paths to all parts of the value that are zero.
func zeros(v reflect.Value, path string) []string {
	if v.IsZero() {
		return []string{path}
	}
	var found []string
	switch v.Kind() {
	case reflect.Pointer:
		return zeros(v.Elem(), path)
	case reflect.Slice:
		for i := range v.Len() {
			found = append(found, zeros(v.Index(i), fmt.Sprintf("%s[%d]", path, i))...)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if field := v.Type().Field(i); field.IsExported() || field.Anonymous {
				found = append(found, zeros(v.Field(i), path+"."+field.Name)...)
			}
		}
	}
	return found
}
