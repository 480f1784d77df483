import { h } from "../jsx";

export interface ButtonProps { // ⟦ def ButtonProps ⟧
  label: string; // ⟦ def ButtonProps.label ⟧
  onPress?: () => void; // ⟦ def ButtonProps.onPress ⟧
}

/** A Button that says what it does. */
export const Button = ({ label, onPress }: ButtonProps) => ( // ⟦ def Button ; ref ButtonProps type ; ref ButtonProps.label read ; ref ButtonProps.onPress read ⟧
  <button onclick={onPress}>{label}</button>
);
