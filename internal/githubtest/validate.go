package githubtest

import (
	"errors"
	"fmt"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"
	"github.com/vektah/gqlparser/v2/validator"
	"github.com/vektah/gqlparser/v2/validator/rules"
)

// Validate holds queries against a schema, as GitHub does before it answers:
// the text of GitHub's own schema, or "" for the part of it that a [World]
// has. The error names every query that is refused, and why.
func Validate(schema string, queries ...string) error {
	s := theGraph().schema
	if schema != "" {
		var err error
		if s, err = gqlparser.LoadSchema(&ast.Source{Name: "schema", Input: schema}); err != nil {
			return fmt.Errorf("read the schema: %w", err)
		}
	}
	var refused []error
	for _, q := range queries {
		doc, err := parser.ParseQuery(&ast.Source{Input: q})
		if err != nil {
			refused = append(refused, fmt.Errorf("%q: %w", q, err))
			continue
		}
		if errs := validator.ValidateWithRules(s, doc, rules.NewDefaultRules()); len(errs) > 0 {
			refused = append(refused, fmt.Errorf("%q: %w", q, errs))
		}
	}
	return errors.Join(refused...)
}
