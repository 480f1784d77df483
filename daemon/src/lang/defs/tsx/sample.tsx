import React, { useState, type FC } from "react";
import * as UI from "./ui";
import { Button as Knob } from "./button";

/** What a card is given. */
export interface CardProps<T> extends UI.BoxProps {
  title: string;
  items?: T[];
  onPick(item: T): void;
}

type State = { open: boolean };

// A card with a list.
export const Card = <T extends object>({ title, items = [], onPick, ...rest }: CardProps<T>) => {
  const [open, setOpen] = useState<boolean>(false);
  const toggle = () => setOpen((was) => !was);

  if (!items.length && !open) {
    return null;
  }
  return (
    <UI.Box {...rest}>
      <Knob onClick={toggle} label={title}>{open ? "Less" : "More"}</Knob>
      {items.map((item) => (
        <Row key={item.id} onClick={() => onPick(item)} />
      ))}
      <div className="end">&nbsp;</div>
    </UI.Box>
  );
};

export const Memo: FC<State> = React.memo(function Inner(props) {
  return <>{props.open && <UI.Icon name="open" />}</>;
});

export default class Panel extends React.Component<CardProps<string>, State> {
  state: State = { open: false };
  private timer?: number;

  static defaultProps = { items: [] };

  handle = (event: React.MouseEvent) => {
    this.setState({ open: event.altKey });
  };

  get label(): string {
    return this.props.title ?? "Größe";
  }

  render() {
    const { items } = this.props;
    switch (items?.length) {
      case 0:
        return <Empty />;
      default:
        return <Card<string> title={this.label} onPick={this.handle} />;
    }
  }
}

@Observer
class Hidden {
  constructor(protected readonly store: Store) {}
}

function useStore(): Store;
function useStore(name: string): Store;
function useStore(name?: string) {
  return React.useContext(StoreContext)[name || "main"];
}

export { Hidden, useStore as useMainStore };
export * from "./types";
