//! C#: extension methods, finalizers, imports for whole projects, relative namespaces, generic types beside plain ones with their
//! name, and conditional compilation.

use super::{FamilyRules, Feature};

pub struct Csharp;

impl FamilyRules for Csharp {
    fn features(&self) -> &'static [Feature] {
        &[
            Feature::ConditionalLines,
            Feature::ProjectImports,
            Feature::RelativeNamespaces,
            Feature::TypesByArity,
        ]
    }

    fn calls_by_name(&self, name: &str) -> bool {
        name == "Main"
    }

    fn is_called_by_syntax(&self, name: &str) -> bool {
        name.starts_with('~')
            || matches!(
                name,
                "Deconstruct"
                    | "Dispose"
                    | "DisposeAsync"
                    | "GetAsyncEnumerator"
                    | "GetAwaiter"
                    | "GetEnumerator"
            )
    }

    fn root_prefix(&self) -> &'static str {
        "global::"
    }

    fn attribute_suffix(&self) -> Option<&'static str> {
        Some("Attribute")
    }

    fn is_type_initializer(&self, signature: &str) -> bool {
        signature.starts_with("static ")
    }

    fn is_extension_method(&self, parameters: &str) -> bool {
        parameters.starts_with("this ")
    }
}
