package rest_test

import (
	"testing"

	"github.com/cashwrap/cashwrap/shared/rest"
)

func TestID_InCapitals(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]rest.ID{
		"0A1B2C3D-4E5F-4A6B-8C7D-9E0F1A2B3C4D": "0a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d",
		"0a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d": "0a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d",
		"TFNZ5P5S49":                           "TFNZ5P5S49",
		"0A1B2C3D4E5F4A6B8C7D9E0F1A2B3C4D":     "0A1B2C3D4E5F4A6B8C7D9E0F1A2B3C4D",
		"0A1B2C3D-4E5F-4A6B-8C7D-9E0F1A2B3C4G": "0A1B2C3D-4E5F-4A6B-8C7D-9E0F1A2B3C4G",
		"0A1B2C3D-4E5F-4A6B-8C7D9-E0F1A2B3C4D": "0A1B2C3D-4E5F-4A6B-8C7D9-E0F1A2B3C4D",
		"":                                     "",
	} {
		var got rest.ID
		if err := got.UnmarshalText([]byte(text)); err != nil || got != want {
			t.Errorf("%s: got %s and error %v, want %s", text, got, err, want)
		}
	}
}
