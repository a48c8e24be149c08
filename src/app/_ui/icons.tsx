import type { ReactNode, SVGProps } from "react";

type IconProps = SVGProps<SVGSVGElement>;

function Icon({ children, ...props }: IconProps & { children: ReactNode }) {
  return (
    <svg
      aria-hidden="true"
      width={18}
      height={18}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={1.8}
      strokeLinecap="round"
      strokeLinejoin="round"
      {...props}
    >
      {children}
    </svg>
  );
}

const icon = (paths: ReactNode) => (props: IconProps) => <Icon {...props}>{paths}</Icon>;

export const CompassIcon = icon(
  <>
    <circle cx="12" cy="12" r="9" />
    <path d="m15.5 8.5-2 5-5 2 2-5z" />
  </>,
);
export const MapIcon = icon(<path d="m3 6 6-2 6 2 6-2v14l-6 2-6-2-6 2zM9 4v14M15 6v14" />);
export const GaugeIcon = icon(<path d="M4 18a9 9 0 1 1 16 0M12 14l4-5" />);
export const BookIcon = icon(<path d="M5 4h10a4 4 0 0 1 4 4v12H8a3 3 0 0 1-3-3zM5 17a3 3 0 0 1 3-3h11" />);
export const KeyIcon = icon(
  <>
    <circle cx="8" cy="15" r="4" />
    <path d="m11 12 9-9M16 7l3 3" />
  </>,
);
export const SlidersIcon = icon(
  <>
    <path d="M4 7h9M17 7h3M4 17h3M11 17h9" />
    <circle cx="15" cy="7" r="2" />
    <circle cx="9" cy="17" r="2" />
  </>,
);
export const SearchIcon = icon(
  <>
    <circle cx="11" cy="11" r="6" />
    <path d="m20 20-4.5-4.5" />
  </>,
);
export const SunIcon = icon(
  <>
    <circle cx="12" cy="12" r="4" />
    <path d="M12 3v1.5M12 19.5V21M3 12h1.5M19.5 12H21M5.6 5.6l1.1 1.1M17.3 17.3l1.1 1.1M5.6 18.4l1.1-1.1M17.3 6.7l1.1-1.1" />
  </>,
);
export const MoonIcon = icon(<path d="M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5z" />);
export const ScreenIcon = icon(<path d="M4 5h16v11H4zM9 20h6M12 16v4" />);
export const PersonIcon = icon(
  <>
    <circle cx="12" cy="8" r="3.5" />
    <path d="M5 20a7 7 0 0 1 14 0" />
  </>,
);
export const SignOutIcon = icon(<path d="M14 5H6v14h8M10 12h10m-3-3 3 3-3 3" />);
export const CheckIcon = icon(<path d="m5 12.5 4.5 4.5L19 7.5" />);
export const CopyIcon = icon(<path d="M9 9h10v11H9zM5 15V4h10" />);
export const AlertIcon = icon(<path d="M12 4 2.8 19.5h18.4zM12 10v4.5M12 17v.2" />);
export const ListIcon = icon(<path d="M8 6h12M8 12h12M8 18h12M4 6h.2M4 12h.2M4 18h.2" />);
export const ServerIcon = icon(<path d="M4 5h16v6H4zM4 13h16v6H4zM8 8h.2M8 16h.2" />);
export const LayersIcon = icon(<path d="m12 4 9 5-9 5-9-5zM3 14l9 5 9-5" />);
export const BookmarkIcon = icon(<path d="M7 4h10v16l-5-4-5 4z" />);
export const ChatIcon = icon(<path d="M4 5h16v11H11l-4 4v-4H4zM8 9h8M8 12h5" />);
export const BroadcastIcon = icon(
  <path d="M12 12h.2M8.5 15.5a5 5 0 0 1 0-7M15.5 8.5a5 5 0 0 1 0 7M5.5 18.5a9 9 0 0 1 0-13M18.5 5.5a9 9 0 0 1 0 13" />,
);
export const PlusIcon = icon(<path d="M12 5v14M5 12h14" />);
export const RouteIcon = icon(
  <>
    <circle cx="6" cy="18" r="2.5" />
    <circle cx="18" cy="6" r="2.5" />
    <path d="M8.5 18H14a3.5 3.5 0 0 0 0-7h-4a3.5 3.5 0 0 1 0-7h5.5" />
  </>,
);
export const CloseIcon = icon(<path d="m6 6 12 12M18 6 6 18" />);
export const UpIcon = icon(<path d="m6 15 6-6 6 6" />);
export const DownIcon = icon(<path d="m6 9 6 6 6-6" />);
export const GripIcon = icon(<path d="M9 6h.2M15 6h.2M9 12h.2M15 12h.2M9 18h.2M15 18h.2" />);
export const CoinsIcon = icon(
  <path d="M4 7c0-1.7 3.1-3 7-3s7 1.3 7 3-3.1 3-7 3-7-1.3-7-3zM4 7v5c0 1.7 3.1 3 7 3s7-1.3 7-3V7M4 12v5c0 1.7 3.1 3 7 3s7-1.3 7-3v-5" />,
);
export const PieIcon = icon(
  <>
    <circle cx="12" cy="12" r="8.5" />
    <path d="M12 3.5V12l6 6" />
  </>,
);
export const BellIcon = icon(
  <>
    <path d="M6 16.5V11a6 6 0 0 1 12 0v5.5l1.5 1.5h-15z" />
    <path d="M10 21h4" />
  </>,
);
